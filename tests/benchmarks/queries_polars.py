"""The queries of TPC-H for polars: lazy, in the specification's order of joins; polars places filters and columns itself."""

from __future__ import annotations

from datetime import datetime as day
from typing import Any

import polars as pl
from polars import col

REVENUE = (col("l_extendedprice") * (1 - col("l_discount"))).alias("revenue")


def between(name: str, start: day, stop: day) -> pl.Expr:
    """From `start` until before `stop`."""
    return col(name).is_between(start, stop, closed="left")


def nations(nation: Any, region: Any, name: str) -> Any:
    region = region.filter(col("r_name") == name)
    return nation.join(region, left_on="n_regionkey", right_on="r_regionkey").select("n_nationkey", "n_name")


def q01(lineitem: Any) -> Any:
    keys = ["l_returnflag", "l_linestatus"]
    price, tax = col("l_extendedprice") * (1 - col("l_discount")), 1 + col("l_tax")
    item = lineitem.filter(col("l_shipdate") <= day(1998, 9, 2))
    sums = item.group_by(keys).agg(
        col("l_quantity").sum().alias("sum_qty"),
        col("l_extendedprice").sum().alias("sum_base_price"),
        price.sum().alias("sum_disc_price"),
        (price * tax).sum().alias("sum_charge"),
        col("l_quantity").mean().alias("avg_qty"),
        col("l_extendedprice").mean().alias("avg_price"),
        col("l_discount").mean().alias("avg_disc"),
        pl.len().alias("count_order"),
    )
    return sums.sort(keys)


def q02(part: Any, supplier: Any, partsupp: Any, nation: Any, region: Any) -> Any:
    part = part.filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    seller = supplier.join(nations(nation, region, "EUROPE"), left_on="s_nationkey", right_on="n_nationkey")
    offer = part.join(partsupp, left_on="p_partkey", right_on="ps_partkey")
    offer = offer.join(seller, left_on="ps_suppkey", right_on="s_suppkey")
    cheapest = offer.group_by("p_partkey").agg(col("ps_supplycost").min())
    offer = offer.join(cheapest, on=["p_partkey", "ps_supplycost"])
    order = ["s_acctbal", "n_name", "s_name", "p_partkey"]
    return (
        offer.select(
            "s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"
        )
        .sort(order, descending=[True, False, False, False])
        .head(100)
    )


def q03(customer: Any, orders: Any, lineitem: Any) -> Any:
    customer = customer.filter(col("c_mktsegment") == "BUILDING")
    orders = orders.filter(col("o_orderdate") < day(1995, 3, 15))
    item = lineitem.filter(col("l_shipdate") > day(1995, 3, 15))
    item = (
        customer.join(orders, left_on="c_custkey", right_on="o_custkey")
        .join(item, left_on="o_orderkey", right_on="l_orderkey")
        .rename({"o_orderkey": "l_orderkey"})
    )
    sums = item.group_by("l_orderkey", "o_orderdate", "o_shippriority").agg(REVENUE.sum())
    sums = sums.select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
    return sums.sort(["revenue", "o_orderdate"], descending=[True, False]).head(10)


def q04(orders: Any, lineitem: Any) -> Any:
    late = lineitem.filter(col("l_commitdate") < col("l_receiptdate"))
    orders = orders.filter(between("o_orderdate", day(1993, 7, 1), day(1993, 10, 1)))
    orders = orders.join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
    return orders.group_by("o_orderpriority").agg(pl.len().alias("order_count")).sort("o_orderpriority")


def q05(customer: Any, orders: Any, lineitem: Any, supplier: Any, nation: Any, region: Any) -> Any:
    orders = orders.filter(between("o_orderdate", day(1994, 1, 1), day(1995, 1, 1)))
    item = (
        nations(nation, region, "ASIA")
        .join(customer, left_on="n_nationkey", right_on="c_nationkey")
        .join(orders, left_on="c_custkey", right_on="o_custkey")
        .join(lineitem, left_on="o_orderkey", right_on="l_orderkey")
        .join(supplier, left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
    )
    return item.group_by("n_name").agg(REVENUE.sum()).sort("revenue", descending=True)


def q06(lineitem: Any) -> Any:
    item = lineitem.filter(
        between("l_shipdate", day(1994, 1, 1), day(1995, 1, 1)),
        col("l_discount").is_between(0.05, 0.07),
        col("l_quantity") < 24,
    )
    return item.select((col("l_extendedprice") * col("l_discount")).sum())


def q07(supplier: Any, lineitem: Any, orders: Any, customer: Any, nation: Any) -> Any:
    nation = nation.filter(col("n_name").is_in(["FRANCE", "GERMANY"])).select("n_nationkey", "n_name")
    seller = supplier.join(nation, left_on="s_nationkey", right_on="n_nationkey")
    buyer = customer.join(nation, left_on="c_nationkey", right_on="n_nationkey")
    item = (
        lineitem.filter(col("l_shipdate").is_between(day(1995, 1, 1), day(1996, 12, 31)))
        .join(seller.rename({"n_name": "supp_nation"}), left_on="l_suppkey", right_on="s_suppkey")
        .join(orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(buyer.rename({"n_name": "cust_nation"}), left_on="o_custkey", right_on="c_custkey")
        .filter(col("supp_nation") != col("cust_nation"))
        .with_columns(col("l_shipdate").dt.year().alias("l_year"))
    )
    keys = ["supp_nation", "cust_nation", "l_year"]
    return item.group_by(keys).agg(REVENUE.sum()).sort(keys)


def q08(part: Any, supplier: Any, lineitem: Any, orders: Any, customer: Any, nation: Any, region: Any) -> Any:
    america = nations(nation, region, "AMERICA").select("n_nationkey")
    buyer = customer.join(america, left_on="c_nationkey", right_on="n_nationkey")
    seller = supplier.join(nation, left_on="s_nationkey", right_on="n_nationkey").select(
        "s_suppkey", "n_name"
    )
    orders = orders.filter(col("o_orderdate").is_between(day(1995, 1, 1), day(1996, 12, 31)))
    item = (
        part.filter(col("p_type") == "ECONOMY ANODIZED STEEL")
        .join(lineitem, left_on="p_partkey", right_on="l_partkey")
        .join(orders, left_on="l_orderkey", right_on="o_orderkey")
        .join(buyer, left_on="o_custkey", right_on="c_custkey")
        .join(seller, left_on="l_suppkey", right_on="s_suppkey")
        .select(col("o_orderdate").dt.year().alias("o_year"), "n_name", REVENUE)
    )
    brazil = col("revenue").filter(col("n_name") == "BRAZIL").sum()
    return item.group_by("o_year").agg((brazil / col("revenue").sum()).alias("mkt_share")).sort("o_year")


def q09(part: Any, supplier: Any, lineitem: Any, partsupp: Any, orders: Any, nation: Any) -> Any:
    seller = supplier.join(nation, left_on="s_nationkey", right_on="n_nationkey")
    item = (
        part.filter(col("p_name").str.contains("green", literal=True))
        .join(partsupp, left_on="p_partkey", right_on="ps_partkey")
        .join(lineitem, left_on=["p_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .join(seller, left_on="ps_suppkey", right_on="s_suppkey")
        .join(orders, left_on="l_orderkey", right_on="o_orderkey")
        .select(
            col("n_name").alias("nation"),
            col("o_orderdate").dt.year().alias("o_year"),
            (REVENUE - col("ps_supplycost") * col("l_quantity")).alias("sum_profit"),
        )
    )
    sums = item.group_by("nation", "o_year").agg(col("sum_profit").sum())
    return sums.sort(["nation", "o_year"], descending=[False, True])


def q10(customer: Any, orders: Any, lineitem: Any, nation: Any) -> Any:
    orders = orders.filter(between("o_orderdate", day(1993, 10, 1), day(1994, 1, 1)))
    item = lineitem.filter(col("l_returnflag") == "R")
    item = item.join(orders, left_on="l_orderkey", right_on="o_orderkey")
    buyer = (
        item.group_by("o_custkey")
        .agg(REVENUE.sum())
        .join(customer, left_on="o_custkey", right_on="c_custkey")
        .join(nation, left_on="c_nationkey", right_on="n_nationkey")
        .rename({"o_custkey": "c_custkey"})
    )
    return (
        buyer.select(
            "c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"
        )
        .sort("revenue", descending=True)
        .head(20)
    )


def q11(partsupp: Any, supplier: Any, nation: Any) -> Any:
    nation = nation.filter(col("n_name") == "GERMANY")
    seller = supplier.join(nation, left_on="s_nationkey", right_on="n_nationkey")
    stock = partsupp.join(seller, left_on="ps_suppkey", right_on="s_suppkey")
    value = (col("ps_supplycost") * col("ps_availqty")).sum().alias("value")
    sums = stock.group_by("ps_partkey").agg(value)
    return sums.filter(col("value") > col("value").sum() * 0.0001).sort("value", descending=True)


def q12(orders: Any, lineitem: Any) -> Any:
    item = lineitem.filter(
        between("l_receiptdate", day(1994, 1, 1), day(1995, 1, 1)),
        col("l_commitdate") < col("l_receiptdate"),
        col("l_shipdate") < col("l_commitdate"),
        col("l_shipmode").is_in(["MAIL", "SHIP"]),
    )
    high = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    item = orders.join(item, left_on="o_orderkey", right_on="l_orderkey")
    counts = item.group_by("l_shipmode").agg(
        high.sum().alias("high_line_count"), (~high).sum().alias("low_line_count")
    )
    return counts.sort("l_shipmode")


def q13(customer: Any, orders: Any) -> Any:
    orders = orders.filter(~col("o_comment").str.contains("special.*requests"))
    both = customer.join(orders, left_on="c_custkey", right_on="o_custkey", how="left")
    counts = both.group_by("c_custkey").agg(col("o_orderkey").count().alias("c_count"))
    counts = counts.group_by("c_count").agg(pl.len().alias("custdist"))
    return counts.sort(["custdist", "c_count"], descending=True)


def q14(lineitem: Any, part: Any) -> Any:
    item = lineitem.filter(between("l_shipdate", day(1995, 9, 1), day(1995, 10, 1)))
    item = item.join(part, left_on="l_partkey", right_on="p_partkey")
    promo = REVENUE.filter(col("p_type").str.starts_with("PROMO"))
    return item.select(100 * promo.sum() / REVENUE.sum())


def q15(lineitem: Any, supplier: Any) -> Any:
    item = lineitem.filter(between("l_shipdate", day(1996, 1, 1), day(1996, 4, 1)))
    sums = item.group_by("l_suppkey").agg(REVENUE.sum().alias("total_revenue"))
    best = sums.filter(col("total_revenue") == col("total_revenue").max())
    best = supplier.join(best, left_on="s_suppkey", right_on="l_suppkey")
    return best.select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue").sort("s_suppkey")


def q16(partsupp: Any, part: Any, supplier: Any) -> Any:
    part = part.filter(
        col("p_brand") != "Brand#45",
        ~col("p_type").str.starts_with("MEDIUM POLISHED"),
        col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]),
    )
    bad = supplier.filter(col("s_comment").str.contains("Customer.*Complaints"))
    offer = part.join(partsupp, left_on="p_partkey", right_on="ps_partkey")
    offer = offer.join(bad, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
    keys = ["p_brand", "p_type", "p_size"]
    counts = offer.group_by(keys).agg(col("ps_suppkey").n_unique().alias("supplier_cnt"))
    return counts.sort(["supplier_cnt", *keys], descending=[True, False, False, False])


def q17(lineitem: Any, part: Any) -> Any:
    part = part.filter(col("p_brand") == "Brand#23", col("p_container") == "MED BOX")
    item = part.join(lineitem, left_on="p_partkey", right_on="l_partkey")
    mean = item.group_by("p_partkey").agg(col("l_quantity").mean().alias("mean_quantity"))
    few = item.join(mean, on="p_partkey").filter(col("l_quantity") < 0.2 * col("mean_quantity"))
    return few.select(col("l_extendedprice").sum() / 7)


def q18(customer: Any, orders: Any, lineitem: Any) -> Any:
    sums = lineitem.group_by("l_orderkey").agg(col("l_quantity").sum().alias("sum_quantity"))
    large = orders.join(sums.filter(col("sum_quantity") > 300), left_on="o_orderkey", right_on="l_orderkey")
    large = large.join(customer, left_on="o_custkey", right_on="c_custkey").rename({"o_custkey": "c_custkey"})
    return (
        large.select("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice", "sum_quantity")
        .sort(["o_totalprice", "o_orderdate"], descending=[True, False])
        .head(100)
    )


def q19(lineitem: Any, part: Any) -> Any:
    def kind(brand: str, containers: list[str], quantity: int, size: int) -> pl.Expr:
        return (
            (col("p_brand") == brand)
            & col("p_container").is_in(containers)
            & col("l_quantity").is_between(quantity, quantity + 10)
            & col("p_size").is_between(1, size)
        )

    item = lineitem.filter(
        col("l_shipmode").is_in(["AIR", "AIR REG"]), col("l_shipinstruct") == "DELIVER IN PERSON"
    )
    item = part.join(item, left_on="p_partkey", right_on="l_partkey").filter(
        kind("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5)
        | kind("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10)
        | kind("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15)
    )
    return item.select(REVENUE.sum())


def q20(supplier: Any, nation: Any, partsupp: Any, part: Any, lineitem: Any) -> Any:
    forest = part.filter(col("p_name").str.starts_with("forest"))
    offer = partsupp.join(forest, left_on="ps_partkey", right_on="p_partkey", how="semi")
    item = lineitem.filter(between("l_shipdate", day(1994, 1, 1), day(1995, 1, 1)))
    item = item.join(forest, left_on="l_partkey", right_on="p_partkey", how="semi")
    sold = item.group_by("l_partkey", "l_suppkey").agg(col("l_quantity").sum().alias("quantity"))
    offer = offer.join(sold, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
    offer = offer.filter(col("ps_availqty") > 0.5 * col("quantity"))
    nation = nation.filter(col("n_name") == "CANADA")
    seller = supplier.join(nation, left_on="s_nationkey", right_on="n_nationkey")
    seller = seller.join(offer, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
    return seller.select("s_name", "s_address").sort("s_name")


def q21(supplier: Any, lineitem: Any, orders: Any, nation: Any) -> Any:
    nation = nation.filter(col("n_name") == "SAUDI ARABIA")
    seller = supplier.join(nation, left_on="s_nationkey", right_on="n_nationkey")
    late = lineitem.filter(col("l_receiptdate") > col("l_commitdate"))
    waiting = (
        late.join(seller, left_on="l_suppkey", right_on="s_suppkey")
        .join(orders.filter(col("o_orderstatus") == "F"), left_on="l_orderkey", right_on="o_orderkey")
        .select("l_orderkey", "s_name")
    )

    def suppliers(items: Any) -> Any:
        items = items.join(waiting, on="l_orderkey", how="semi")
        return items.group_by("l_orderkey").agg(col("l_suppkey").n_unique())

    waiting = waiting.join(suppliers(lineitem).filter(col("l_suppkey") > 1), on="l_orderkey")
    waiting = waiting.join(suppliers(late).filter(col("l_suppkey") == 1), on="l_orderkey", suffix="_late")
    counts = waiting.group_by("s_name").agg(pl.len().alias("numwait"))
    return counts.sort(["numwait", "s_name"], descending=[True, False]).head(100)


def q22(customer: Any, orders: Any) -> Any:
    customer = customer.with_columns(col("c_phone").str.slice(0, 2).alias("code"))
    customer = customer.filter(col("code").is_in(["13", "31", "23", "29", "30", "18", "17"]))
    mean = col("c_acctbal").filter(col("c_acctbal") > 0).mean()
    idle = customer.filter(col("c_acctbal") > mean)
    idle = idle.join(orders, left_on="c_custkey", right_on="o_custkey", how="anti")
    sums = idle.group_by("code").agg(pl.len().alias("numcust"), col("c_acctbal").sum().alias("totacctbal"))
    return sums.sort("code")
