"""Error of the default before it had sources by class and a coarse level: what `labels` compares with.

Mean over label sets 0-7 in % of the unlabelled rows, drawn as in `labels.drawn`. Label sets with a single
class are left out, and rows of classes that were not drawn are wrong, as they are there.
"""

SEEDS = range(8)
RATES = ("1", "5", "r2", "r4", "r10")
BEFORE = {
    "optdigits": (4.40, 1.40, 27.29, 12.99, 2.48),
    "penbased/raw": (14.59, 7.35, 27.42, 14.72, 5.99),
    "texture/raw": (13.79, 5.27, 27.89, 13.45, 4.61),
    "letter/raw": (69.73, 43.87, 66.03, 52.35, 35.75),
    "satimage/raw": (29.15, 17.76, 33.45, 26.20, 17.09),
    "segment/raw": (33.23, 23.84, 40.60, 27.90, 19.38),
    "usps_2class/raw": (49.21, 30.25, 30.32, 20.44, 14.15),
    "coil_6class/raw": (73.14, 39.98, 63.26, 44.67, 24.87),
    "digits": (13.26, 3.76, 20.35, 10.24, 2.34),
    "wine": (7.43, 3.83, 26.89, 12.12, 3.72),
    "cancer": (8.64, 7.42, 15.46, 19.15, 6.69),
    "mnist": (7.68, 2.51, 36.91, 20.18, 5.44),
    "mnist/cut": (16.72, 7.75, 26.42, 15.11, 12.15),
    "penbased/raw/cut": (20.55, 11.77, 24.86, 12.15, 5.57),
    "optdigits/cut": (6.99, 3.19, 18.69, 8.66, 4.40),
    "texture/raw/cut": (18.52, 6.25, 19.31, 11.82, 5.56),
    "digits/cut": (16.72, 5.17, 21.04, 8.91, 4.99),
}
"""The 17 sets, with a figure for each of `RATES`."""
