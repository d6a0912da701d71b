"""TPC-H q01, q02, q06 and q22, each written for pandas, for dask.dataframe and for marsdask.

A query takes a mapping of table names to frames and returns a pandas object. The dask.dataframe text is what a person
who knows it well would write: early filters, few columns, small joins first, finishing touches on a small pandas frame.
The marsdask text is pandas' text with `execute().fetch()` behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

Tables = Mapping[str, Any]

TABLES = {
    "q01": ("lineitem",),
    "q02": ("part", "supplier", "partsupp", "nation", "region"),
    "q06": ("lineitem",),
    "q22": ("customer", "orders"),
}
"""The tables a query reads."""

Q01_BEFORE = pd.Timestamp("1998-09-02")
Q01_KEYS = ["l_returnflag", "l_linestatus"]
Q01_SUMS = ["l_quantity", "l_extendedprice", "disc_price", "charge", "l_discount"]
Q02_SHOWN = ["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]
Q02_ORDER = ["s_acctbal", "n_name", "s_name", "p_partkey"]
Q02_UP = [False, True, True, True]
Q06_FROM, Q06_TO = pd.Timestamp("1994-01-01"), pd.Timestamp("1995-01-01")
Q22_CODES = ["13", "31", "23", "29", "30", "18", "17"]


def q01_pandas(t: Tables) -> pd.DataFrame:
    item = t["lineitem"]
    item = item.loc[item.l_shipdate <= Q01_BEFORE, [*Q01_KEYS, *Q01_SUMS[:2], "l_discount", "l_tax"]]
    item["disc_price"] = item.l_extendedprice * (1 - item.l_discount)
    item["charge"] = item.disc_price * (1 + item.l_tax)
    return item.groupby(Q01_KEYS).agg(
        sum_qty=("l_quantity", "sum"),
        sum_base_price=("l_extendedprice", "sum"),
        sum_disc_price=("disc_price", "sum"),
        sum_charge=("charge", "sum"),
        avg_qty=("l_quantity", "mean"),
        avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"),
        count_order=("l_quantity", "size"),
    )


def q01_dask(t: Tables) -> pd.DataFrame:
    item = t["lineitem"]
    item = item[item.l_shipdate <= Q01_BEFORE]
    item = item.assign(disc_price=item.l_extendedprice * (1 - item.l_discount))
    item = item.assign(charge=item.disc_price * (1 + item.l_tax))
    sums = item.groupby(Q01_KEYS).agg(dict.fromkeys(Q01_SUMS, "sum") | {"l_tax": "count"})
    return _q01_named(sums.compute().sort_index())


def _q01_named(sums: pd.DataFrame) -> pd.DataFrame:
    n = sums.l_tax
    return pd.DataFrame(
        {
            "sum_qty": sums.l_quantity,
            "sum_base_price": sums.l_extendedprice,
            "sum_disc_price": sums.disc_price,
            "sum_charge": sums.charge,
            "avg_qty": sums.l_quantity / n,
            "avg_price": sums.l_extendedprice / n,
            "avg_disc": sums.l_discount / n,
            "count_order": n,
        }
    )


def q01_ours(t: Tables) -> pd.DataFrame:
    item = t["lineitem"]
    item = item[item.l_shipdate <= Q01_BEFORE]
    item["disc_price"] = item.l_extendedprice * (1 - item.l_discount)
    item["charge"] = item.disc_price * (1 + item.l_tax)
    result = item.groupby(Q01_KEYS).agg(
        sum_qty=("l_quantity", "sum"),
        sum_base_price=("l_extendedprice", "sum"),
        sum_disc_price=("disc_price", "sum"),
        sum_charge=("charge", "sum"),
        avg_qty=("l_quantity", "mean"),
        avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"),
        count_order=("l_quantity", "size"),
    )
    return result.execute().fetch()


def _q02(t: Tables) -> Any:
    """The unsorted answer, lazy or not: the joins are the same text on all three sides."""
    part, region = t["part"], t["region"]
    part = part[(part.p_size == 15) & part.p_type.str.endswith("BRASS")][["p_partkey", "p_mfgr"]]
    europe = t["nation"].merge(
        region[region.r_name == "EUROPE"][["r_regionkey"]], left_on="n_regionkey", right_on="r_regionkey"
    )[["n_nationkey", "n_name"]]
    seller = t["supplier"].merge(europe, left_on="s_nationkey", right_on="n_nationkey")
    offer = t["partsupp"][["ps_partkey", "ps_suppkey", "ps_supplycost"]]
    offer = offer.merge(part, left_on="ps_partkey", right_on="p_partkey")
    offer = offer.merge(seller, left_on="ps_suppkey", right_on="s_suppkey")
    cheapest = offer.groupby("p_partkey").ps_supplycost.min().reset_index()
    return offer.merge(cheapest, on=["p_partkey", "ps_supplycost"])[Q02_SHOWN]


def q02_pandas(t: Tables) -> pd.DataFrame:
    return _q02(t).sort_values(Q02_ORDER, ascending=Q02_UP).head(100).reset_index(drop=True)


def q02_dask(t: Tables) -> pd.DataFrame:
    return q02_sorted(_q02(t).compute())


def q02_sorted(answer: pd.DataFrame) -> pd.DataFrame:
    return answer.sort_values(Q02_ORDER, ascending=Q02_UP).head(100).reset_index(drop=True)


def q02_ours(t: Tables) -> pd.DataFrame:
    answer = _q02(t).sort_values(Q02_ORDER, ascending=Q02_UP).head(100).reset_index(drop=True)
    return answer.execute().fetch()


def _q06(t: Tables) -> Any:
    item = t["lineitem"]
    item = item[
        (item.l_shipdate >= Q06_FROM)
        & (item.l_shipdate < Q06_TO)
        & (item.l_discount >= 0.05)
        & (item.l_discount <= 0.07)
        & (item.l_quantity < 24)
    ]
    return (item.l_extendedprice * item.l_discount).sum()


def q06_pandas(t: Tables) -> float:
    return _q06(t)


def q06_dask(t: Tables) -> float:
    return _q06(t).compute()


def q06_ours(t: Tables) -> float:
    return _q06(t).execute().fetch()


def q22_pandas(t: Tables) -> pd.DataFrame:
    customer = t["customer"][["c_custkey", "c_phone", "c_acctbal"]]
    customer = customer.assign(code=customer.c_phone.str[:2])
    customer = customer[customer.code.isin(Q22_CODES)]
    rich = customer[customer.c_acctbal > customer.c_acctbal[customer.c_acctbal > 0].mean()]
    idle = rich[~rich.c_custkey.isin(t["orders"].o_custkey)]
    return idle.groupby("code").agg(numcust=("c_acctbal", "size"), totacctbal=("c_acctbal", "sum"))


def q22_dask(t: Tables) -> pd.DataFrame:
    customer = t["customer"][["c_custkey", "c_phone", "c_acctbal"]]
    customer = customer.assign(code=customer.c_phone.str[:2])
    customer = customer[customer.code.isin(Q22_CODES)]
    rich = customer[customer.c_acctbal > customer.c_acctbal[customer.c_acctbal > 0].mean()]
    orders = t["orders"][["o_custkey"]].drop_duplicates()
    both = rich.merge(orders, left_on="c_custkey", right_on="o_custkey", how="left")
    idle = both[both.o_custkey.isna()]
    sums = idle.groupby("code").c_acctbal.agg(["count", "sum"]).compute().sort_index()
    return sums.set_axis(["numcust", "totacctbal"], axis=1)


def q22_ours(t: Tables) -> pd.DataFrame:
    customer = t["customer"][["c_custkey", "c_phone", "c_acctbal"]]
    customer = customer.assign(code=customer.c_phone.str[:2])
    customer = customer[customer.code.isin(Q22_CODES)]
    rich = customer[customer.c_acctbal > customer.c_acctbal[customer.c_acctbal > 0].mean()]
    idle = rich[~rich.c_custkey.isin(t["orders"].o_custkey)]
    result = idle.groupby("code").agg(numcust=("c_acctbal", "size"), totacctbal=("c_acctbal", "sum"))
    return result.execute().fetch()
