"""The 22 queries of TPC-H in pandas, with the parameters by which the specification validates answers.

A query is a function of the tables it reads. One text serves pandas and marsdask, which gets `.execute().fetch()` behind
it, and Dask as far as it can: `queries_dask.py` has what it lacks. The columns a query needs are those its text names.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd

NAMES = tuple(f"q{number:02}" for number in range(1, 23))

day = pd.Timestamp


@cache
def columns(query: Callable[..., Any]) -> dict[str, list[str]]:
    """The columns of each table that the text of `query` names: a column begins with its table's letters."""
    named = dict.fromkeys(re.findall(r"\b[a-z]{1,2}_[a-z]+", inspect.getsource(query)))
    return {table: [c for c in COLUMNS[table] if c in named] for table in inspect.signature(query).parameters}


COLUMNS = {
    table: [f"{letters}_{name}" for name in names.split()]
    for table, letters, names in [
        ("region", "r", "regionkey name comment"),
        ("nation", "n", "nationkey name regionkey comment"),
        ("supplier", "s", "suppkey name address nationkey phone acctbal comment"),
        ("customer", "c", "custkey name address nationkey phone acctbal mktsegment comment"),
        ("part", "p", "partkey name mfgr brand type size container retailprice comment"),
        ("partsupp", "ps", "partkey suppkey availqty supplycost comment"),
        (
            "orders",
            "o",
            "orderkey custkey orderstatus totalprice orderdate orderpriority clerk shippriority comment",
        ),
        (
            "lineitem",
            "l",
            "orderkey partkey suppkey linenumber quantity extendedprice discount tax returnflag linestatus"
            " shipdate commitdate receiptdate shipinstruct shipmode comment",
        ),
    ]
}


def q01(lineitem: Any) -> Any:
    """pricing summary report"""
    item = lineitem.loc[
        lineitem.l_shipdate <= day("1998-09-02"),
        ["l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice", "l_discount", "l_tax"],
    ]
    item["disc_price"] = item.l_extendedprice * (1 - item.l_discount)
    item["charge"] = item.disc_price * (1 + item.l_tax)
    sums = item.groupby(["l_returnflag", "l_linestatus"]).agg(
        sum_qty=("l_quantity", "sum"),
        sum_base_price=("l_extendedprice", "sum"),
        sum_disc_price=("disc_price", "sum"),
        sum_charge=("charge", "sum"),
        avg_qty=("l_quantity", "mean"),
        avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"),
        count_order=("l_quantity", "size"),
    )
    return sums.reset_index()


def q02(part: Any, supplier: Any, partsupp: Any, nation: Any, region: Any) -> Any:
    """minimum cost supplier"""
    part = part.loc[(part.p_size == 15) & part.p_type.str.endswith("BRASS"), ["p_partkey", "p_mfgr"]]
    europe = region.loc[region.r_name == "EUROPE", ["r_regionkey"]]
    europe = nation.merge(europe, left_on="n_regionkey", right_on="r_regionkey")[["n_nationkey", "n_name"]]
    seller = supplier.merge(europe, left_on="s_nationkey", right_on="n_nationkey")
    offer = partsupp[["ps_partkey", "ps_suppkey", "ps_supplycost"]]
    offer = offer.merge(part, left_on="ps_partkey", right_on="p_partkey")
    offer = offer.merge(seller, left_on="ps_suppkey", right_on="s_suppkey")
    cheapest = offer.groupby("p_partkey").agg(ps_supplycost=("ps_supplycost", "min")).reset_index()
    offer = offer.merge(cheapest, on=["p_partkey", "ps_supplycost"])
    offer = offer[
        ["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]
    ]
    order = ["s_acctbal", "n_name", "s_name", "p_partkey"]
    return offer.sort_values(order, ascending=[False, True, True, True]).head(100)


def q03(customer: Any, orders: Any, lineitem: Any) -> Any:
    """shipping priority"""
    customer = customer.loc[customer.c_mktsegment == "BUILDING", ["c_custkey"]]
    before = orders.o_orderdate < day("1995-03-15")
    orders = orders.loc[before, ["o_orderkey", "o_custkey", "o_orderdate", "o_shippriority"]]
    after = lineitem.l_shipdate > day("1995-03-15")
    item = lineitem.loc[after, ["l_orderkey", "l_extendedprice", "l_discount"]]
    orders = orders.merge(customer, left_on="o_custkey", right_on="c_custkey")
    item = item.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    item["revenue"] = item.l_extendedprice * (1 - item.l_discount)
    sums = item.groupby(["l_orderkey", "o_orderdate", "o_shippriority"]).agg(revenue=("revenue", "sum"))
    sums = sums.reset_index()[["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]]
    return sums.sort_values(["revenue", "o_orderdate"], ascending=[False, True]).head(10)


def q04(orders: Any, lineitem: Any) -> Any:
    """order priority checking"""
    late = lineitem.l_orderkey[lineitem.l_commitdate < lineitem.l_receiptdate]
    quarter = (orders.o_orderdate >= day("1993-07-01")) & (orders.o_orderdate < day("1993-10-01"))
    orders = orders.loc[quarter, ["o_orderkey", "o_orderpriority"]]
    orders = orders[orders.o_orderkey.isin(late)]
    return orders.groupby("o_orderpriority").agg(order_count=("o_orderkey", "size")).reset_index()


def q05(customer: Any, orders: Any, lineitem: Any, supplier: Any, nation: Any, region: Any) -> Any:
    """local supplier volume"""
    asia = region.loc[region.r_name == "ASIA", ["r_regionkey"]]
    asia = nation.merge(asia, left_on="n_regionkey", right_on="r_regionkey")[["n_nationkey", "n_name"]]
    buyer = customer[["c_custkey", "c_nationkey"]]
    buyer = buyer.merge(asia, left_on="c_nationkey", right_on="n_nationkey")
    year = (orders.o_orderdate >= day("1994-01-01")) & (orders.o_orderdate < day("1995-01-01"))
    orders = orders.loc[year, ["o_orderkey", "o_custkey"]]
    orders = orders.merge(buyer, left_on="o_custkey", right_on="c_custkey")
    orders = orders[["o_orderkey", "c_nationkey", "n_name"]]
    item = lineitem[["l_orderkey", "l_suppkey", "l_extendedprice", "l_discount"]]
    item = item.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    seller = supplier[["s_suppkey", "s_nationkey"]]
    item = item.merge(seller, left_on=["l_suppkey", "c_nationkey"], right_on=["s_suppkey", "s_nationkey"])
    item["revenue"] = item.l_extendedprice * (1 - item.l_discount)
    sums = item.groupby("n_name").agg(revenue=("revenue", "sum")).reset_index()
    return sums.sort_values("revenue", ascending=False)


def q06(lineitem: Any) -> Any:
    """forecasting revenue change"""
    item = lineitem[["l_shipdate", "l_discount", "l_quantity", "l_extendedprice"]]
    item = item[
        (item.l_shipdate >= day("1994-01-01"))
        & (item.l_shipdate < day("1995-01-01"))
        & (item.l_discount >= 0.05)
        & (item.l_discount <= 0.07)
        & (item.l_quantity < 24)
    ]
    return (item.l_extendedprice * item.l_discount).sum()


def q07(supplier: Any, lineitem: Any, orders: Any, customer: Any, nation: Any) -> Any:
    """volume shipping"""
    nation = nation.loc[nation.n_name.isin(["FRANCE", "GERMANY"]), ["n_nationkey", "n_name"]]
    seller = supplier[["s_suppkey", "s_nationkey"]]
    seller = seller.merge(nation, left_on="s_nationkey", right_on="n_nationkey")
    seller = seller[["s_suppkey", "n_name"]].rename(columns={"n_name": "supp_nation"})
    buyer = customer[["c_custkey", "c_nationkey"]]
    buyer = buyer.merge(nation, left_on="c_nationkey", right_on="n_nationkey")
    buyer = buyer[["c_custkey", "n_name"]].rename(columns={"n_name": "cust_nation"})
    orders = orders[["o_orderkey", "o_custkey"]].merge(buyer, left_on="o_custkey", right_on="c_custkey")
    years = (lineitem.l_shipdate >= day("1995-01-01")) & (lineitem.l_shipdate <= day("1996-12-31"))
    item = lineitem.loc[years, ["l_orderkey", "l_suppkey", "l_shipdate", "l_extendedprice", "l_discount"]]
    item = item.merge(seller, left_on="l_suppkey", right_on="s_suppkey")
    item = item.merge(orders[["o_orderkey", "cust_nation"]], left_on="l_orderkey", right_on="o_orderkey")
    item = item[item.supp_nation != item.cust_nation]
    item["l_year"] = item.l_shipdate.dt.year
    item["volume"] = item.l_extendedprice * (1 - item.l_discount)
    return item.groupby(["supp_nation", "cust_nation", "l_year"]).agg(revenue=("volume", "sum")).reset_index()


def q08(part: Any, supplier: Any, lineitem: Any, orders: Any, customer: Any, nation: Any, region: Any) -> Any:
    """national market share"""
    part = part.loc[part.p_type == "ECONOMY ANODIZED STEEL", ["p_partkey"]]
    america = region.loc[region.r_name == "AMERICA", ["r_regionkey"]]
    america = nation.merge(america, left_on="n_regionkey", right_on="r_regionkey")[["n_nationkey"]]
    buyer = customer[["c_custkey", "c_nationkey"]]
    buyer = buyer.merge(america, left_on="c_nationkey", right_on="n_nationkey")[["c_custkey"]]
    years = (orders.o_orderdate >= day("1995-01-01")) & (orders.o_orderdate <= day("1996-12-31"))
    orders = orders.loc[years, ["o_orderkey", "o_custkey", "o_orderdate"]]
    seller = supplier[["s_suppkey", "s_nationkey"]]
    seller = seller.merge(nation[["n_nationkey", "n_name"]], left_on="s_nationkey", right_on="n_nationkey")
    item = lineitem[["l_orderkey", "l_partkey", "l_suppkey", "l_extendedprice", "l_discount"]]
    item = item.merge(part, left_on="l_partkey", right_on="p_partkey")
    item = item.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    item = item.merge(buyer, left_on="o_custkey", right_on="c_custkey")
    item = item.merge(seller[["s_suppkey", "n_name"]], left_on="l_suppkey", right_on="s_suppkey")
    item["o_year"] = item.o_orderdate.dt.year
    item["volume"] = item.l_extendedprice * (1 - item.l_discount)
    item["brazil"] = item.volume.where(item.n_name == "BRAZIL", 0.0)
    sums = item.groupby("o_year").agg(brazil=("brazil", "sum"), volume=("volume", "sum")).reset_index()
    sums["mkt_share"] = sums.brazil / sums.volume
    return sums[["o_year", "mkt_share"]]


def q09(part: Any, supplier: Any, lineitem: Any, partsupp: Any, orders: Any, nation: Any) -> Any:
    """product type profit measure"""
    part = part.loc[part.p_name.str.contains("green", regex=False), ["p_partkey"]]
    seller = supplier[["s_suppkey", "s_nationkey"]]
    seller = seller.merge(nation[["n_nationkey", "n_name"]], left_on="s_nationkey", right_on="n_nationkey")
    seller = seller[["s_suppkey", "n_name"]].rename(columns={"n_name": "nation"})
    offer = partsupp[["ps_partkey", "ps_suppkey", "ps_supplycost"]]
    offer = offer.merge(part, left_on="ps_partkey", right_on="p_partkey")
    item = lineitem[["l_orderkey", "l_partkey", "l_suppkey", "l_quantity", "l_extendedprice", "l_discount"]]
    item = item.merge(offer, left_on=["l_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
    item = item.merge(seller, left_on="l_suppkey", right_on="s_suppkey")
    item = item.merge(orders[["o_orderkey", "o_orderdate"]], left_on="l_orderkey", right_on="o_orderkey")
    item["o_year"] = item.o_orderdate.dt.year
    item["amount"] = item.l_extendedprice * (1 - item.l_discount) - item.ps_supplycost * item.l_quantity
    sums = item.groupby(["nation", "o_year"]).agg(sum_profit=("amount", "sum")).reset_index()
    return sums.sort_values(["nation", "o_year"], ascending=[True, False])


def q10(customer: Any, orders: Any, lineitem: Any, nation: Any) -> Any:
    """returned item reporting"""
    quarter = (orders.o_orderdate >= day("1993-10-01")) & (orders.o_orderdate < day("1994-01-01"))
    orders = orders.loc[quarter, ["o_orderkey", "o_custkey"]]
    item = lineitem.loc[lineitem.l_returnflag == "R", ["l_orderkey", "l_extendedprice", "l_discount"]]
    item = item.merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    item["revenue"] = item.l_extendedprice * (1 - item.l_discount)
    sums = item.groupby("o_custkey").agg(revenue=("revenue", "sum")).reset_index()
    buyer = customer.merge(sums, left_on="c_custkey", right_on="o_custkey")
    buyer = buyer.merge(nation[["n_nationkey", "n_name"]], left_on="c_nationkey", right_on="n_nationkey")
    buyer = buyer[
        ["c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]
    ]
    return buyer.sort_values("revenue", ascending=False).head(20)


def q11(partsupp: Any, supplier: Any, nation: Any) -> Any:
    """important stock identification"""
    nation = nation.loc[nation.n_name == "GERMANY", ["n_nationkey"]]
    seller = supplier[["s_suppkey", "s_nationkey"]]
    seller = seller.merge(nation, left_on="s_nationkey", right_on="n_nationkey")[["s_suppkey"]]
    stock = partsupp[["ps_partkey", "ps_suppkey", "ps_availqty", "ps_supplycost"]]
    stock = stock.merge(seller, left_on="ps_suppkey", right_on="s_suppkey")
    stock["value"] = stock.ps_supplycost * stock.ps_availqty
    sums = stock.groupby("ps_partkey").agg(value=("value", "sum")).reset_index()
    return sums[sums.value > sums.value.sum() * 0.0001].sort_values("value", ascending=False)


def q12(orders: Any, lineitem: Any) -> Any:
    """shipping modes and order priority"""
    item = lineitem[["l_orderkey", "l_shipmode", "l_shipdate", "l_commitdate", "l_receiptdate"]]
    item = item[
        (item.l_receiptdate >= day("1994-01-01"))
        & (item.l_receiptdate < day("1995-01-01"))
        & (item.l_commitdate < item.l_receiptdate)
        & (item.l_shipdate < item.l_commitdate)
        & item.l_shipmode.isin(["MAIL", "SHIP"])
    ]
    orders = orders[["o_orderkey", "o_orderpriority"]]
    item = item[["l_orderkey", "l_shipmode"]].merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    item["high"] = item.o_orderpriority.isin(["1-URGENT", "2-HIGH"])
    item["low"] = ~item.high
    sums = item.groupby("l_shipmode").agg(high_line_count=("high", "sum"), low_line_count=("low", "sum"))
    return sums.reset_index()


def q13(customer: Any, orders: Any) -> Any:
    """customer distribution"""
    orders = orders.loc[~orders.o_comment.str.contains("special.*requests"), ["o_orderkey", "o_custkey"]]
    both = customer[["c_custkey"]].merge(orders, left_on="c_custkey", right_on="o_custkey", how="left")
    counts = both.groupby("c_custkey").agg(c_count=("o_orderkey", "count")).reset_index()
    counts = counts.groupby("c_count").agg(custdist=("c_custkey", "size")).reset_index()
    return counts.sort_values(["custdist", "c_count"], ascending=[False, False])


def q14(lineitem: Any, part: Any) -> Any:
    """promotion effect"""
    month = (lineitem.l_shipdate >= day("1995-09-01")) & (lineitem.l_shipdate < day("1995-10-01"))
    item = lineitem.loc[month, ["l_partkey", "l_extendedprice", "l_discount"]]
    item = item.merge(part[["p_partkey", "p_type"]], left_on="l_partkey", right_on="p_partkey")
    revenue = item.l_extendedprice * (1 - item.l_discount)
    return 100 * revenue[item.p_type.str.startswith("PROMO")].sum() / revenue.sum()


def q15(lineitem: Any, supplier: Any) -> Any:
    """top supplier"""
    quarter = (lineitem.l_shipdate >= day("1996-01-01")) & (lineitem.l_shipdate < day("1996-04-01"))
    item = lineitem.loc[quarter, ["l_suppkey", "l_extendedprice", "l_discount"]]
    item["revenue"] = item.l_extendedprice * (1 - item.l_discount)
    sums = item.groupby("l_suppkey").agg(total_revenue=("revenue", "sum")).reset_index()
    best = sums[sums.total_revenue == sums.total_revenue.max()]
    seller = supplier[["s_suppkey", "s_name", "s_address", "s_phone"]]
    best = seller.merge(best, left_on="s_suppkey", right_on="l_suppkey")
    return best[["s_suppkey", "s_name", "s_address", "s_phone", "total_revenue"]].sort_values("s_suppkey")


def q16(partsupp: Any, part: Any, supplier: Any) -> Any:
    """parts/supplier relationship"""
    part = part[["p_partkey", "p_brand", "p_type", "p_size"]]
    part = part[
        (part.p_brand != "Brand#45")
        & ~part.p_type.str.startswith("MEDIUM POLISHED")
        & part.p_size.isin([49, 14, 23, 45, 19, 3, 36, 9])
    ]
    bad = supplier.s_suppkey[supplier.s_comment.str.contains("Customer.*Complaints")]
    offer = partsupp[["ps_partkey", "ps_suppkey"]]
    offer = offer[~offer.ps_suppkey.isin(bad)].merge(part, left_on="ps_partkey", right_on="p_partkey")
    keys = ["p_brand", "p_type", "p_size"]
    counts = offer.groupby(keys).agg(supplier_cnt=("ps_suppkey", "nunique")).reset_index()
    return counts.sort_values(["supplier_cnt", *keys], ascending=[False, True, True, True])


def q17(lineitem: Any, part: Any) -> Any:
    """small-quantity-order revenue"""
    part = part.loc[(part.p_brand == "Brand#23") & (part.p_container == "MED BOX"), ["p_partkey"]]
    item = lineitem[["l_partkey", "l_quantity", "l_extendedprice"]]
    item = item.merge(part, left_on="l_partkey", right_on="p_partkey")
    mean = item.groupby("l_partkey").agg(mean_quantity=("l_quantity", "mean")).reset_index()
    item = item.merge(mean, on="l_partkey")
    return item.l_extendedprice[item.l_quantity < 0.2 * item.mean_quantity].sum() / 7.0


def q18(customer: Any, orders: Any, lineitem: Any) -> Any:
    """large volume customer"""
    sums = lineitem.groupby("l_orderkey").agg(sum_quantity=("l_quantity", "sum")).reset_index()
    sums = sums[sums.sum_quantity > 300]
    orders = orders[["o_orderkey", "o_custkey", "o_orderdate", "o_totalprice"]]
    large = orders.merge(sums, left_on="o_orderkey", right_on="l_orderkey")
    large = large.merge(customer[["c_custkey", "c_name"]], left_on="o_custkey", right_on="c_custkey")
    large = large[["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_quantity"]]
    return large.sort_values(["o_totalprice", "o_orderdate"], ascending=[False, True]).head(100)


def q19(lineitem: Any, part: Any) -> Any:
    """discounted revenue"""
    item = lineitem.loc[
        lineitem.l_shipmode.isin(["AIR", "AIR REG"]) & (lineitem.l_shipinstruct == "DELIVER IN PERSON"),
        ["l_partkey", "l_quantity", "l_extendedprice", "l_discount"],
    ]
    part = part[["p_partkey", "p_brand", "p_size", "p_container"]]
    part = part[part.p_brand.isin(["Brand#12", "Brand#23", "Brand#34"]) & part.p_size.between(1, 15)]
    item = item.merge(part, left_on="l_partkey", right_on="p_partkey")
    small = (
        (item.p_brand == "Brand#12")
        & item.p_container.isin(["SM CASE", "SM BOX", "SM PACK", "SM PKG"])
        & item.l_quantity.between(1, 11)
        & (item.p_size <= 5)
    )
    medium = (
        (item.p_brand == "Brand#23")
        & item.p_container.isin(["MED BAG", "MED BOX", "MED PKG", "MED PACK"])
        & item.l_quantity.between(10, 20)
        & (item.p_size <= 10)
    )
    large = (
        (item.p_brand == "Brand#34")
        & item.p_container.isin(["LG CASE", "LG BOX", "LG PACK", "LG PKG"])
        & item.l_quantity.between(20, 30)
    )
    item = item[small | medium | large]
    return (item.l_extendedprice * (1 - item.l_discount)).sum()


def q20(supplier: Any, nation: Any, partsupp: Any, part: Any, lineitem: Any) -> Any:
    """potential part promotion"""
    forest = part.p_partkey[part.p_name.str.startswith("forest")]
    offer = partsupp[["ps_partkey", "ps_suppkey", "ps_availqty"]]
    offer = offer[offer.ps_partkey.isin(forest)]
    year = (lineitem.l_shipdate >= day("1994-01-01")) & (lineitem.l_shipdate < day("1995-01-01"))
    item = lineitem.loc[year, ["l_partkey", "l_suppkey", "l_quantity"]]
    item = item[item.l_partkey.isin(forest)]
    sold = item.groupby(["l_partkey", "l_suppkey"]).agg(quantity=("l_quantity", "sum")).reset_index()
    offer = offer.merge(sold, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
    offer = offer[offer.ps_availqty > 0.5 * offer.quantity]
    nation = nation.loc[nation.n_name == "CANADA", ["n_nationkey"]]
    seller = supplier[["s_suppkey", "s_name", "s_address", "s_nationkey"]]
    seller = seller.merge(nation, left_on="s_nationkey", right_on="n_nationkey")
    seller = seller[seller.s_suppkey.isin(offer.ps_suppkey)]
    return seller[["s_name", "s_address"]].sort_values("s_name")


def q21(supplier: Any, lineitem: Any, orders: Any, nation: Any) -> Any:
    """suppliers who kept orders waiting"""
    nation = nation.loc[nation.n_name == "SAUDI ARABIA", ["n_nationkey"]]
    seller = supplier[["s_suppkey", "s_name", "s_nationkey"]]
    seller = seller.merge(nation, left_on="s_nationkey", right_on="n_nationkey")[["s_suppkey", "s_name"]]
    orders = orders.loc[orders.o_orderstatus == "F", ["o_orderkey"]]
    late = lineitem.loc[lineitem.l_receiptdate > lineitem.l_commitdate, ["l_orderkey", "l_suppkey"]]
    waiting = late.merge(seller, left_on="l_suppkey", right_on="s_suppkey")
    waiting = waiting.merge(orders, left_on="l_orderkey", right_on="o_orderkey")[["l_orderkey", "s_name"]]
    item = lineitem[["l_orderkey", "l_suppkey"]]
    item = item[item.l_orderkey.isin(waiting.l_orderkey)]
    late = late[late.l_orderkey.isin(waiting.l_orderkey)]
    many = item.groupby("l_orderkey").agg(suppliers=("l_suppkey", "nunique")).reset_index()
    alone = late.groupby("l_orderkey").agg(late_suppliers=("l_suppkey", "nunique")).reset_index()
    waiting = waiting.merge(many[many.suppliers > 1], on="l_orderkey")
    waiting = waiting.merge(alone[alone.late_suppliers == 1], on="l_orderkey")
    counts = waiting.groupby("s_name").agg(numwait=("l_orderkey", "size")).reset_index()
    return counts.sort_values(["numwait", "s_name"], ascending=[False, True]).head(100)


def q22(customer: Any, orders: Any) -> Any:
    """global sales opportunity"""
    customer = customer[["c_custkey", "c_phone", "c_acctbal"]]
    customer["code"] = customer.c_phone.str[:2]
    customer = customer[customer.code.isin(["13", "31", "23", "29", "30", "18", "17"])]
    customer = customer[customer.c_acctbal > customer.c_acctbal[customer.c_acctbal > 0].mean()]
    idle = customer[~customer.c_custkey.isin(orders.o_custkey)]
    sums = idle.groupby("code").agg(numcust=("c_acctbal", "size"), totacctbal=("c_acctbal", "sum"))
    return sums.reset_index()
