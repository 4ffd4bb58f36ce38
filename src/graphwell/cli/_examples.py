"""Lines to copy, at the end of the help of each command."""

EXAMPLES = {
    "compare": (
        "graphwell compare pets.csv --label species --report methods.html",
        "graphwell compare pets.csv --truth species --methods nearest,laplace --splits 3 --json",
    ),
    "classify": (
        "graphwell classify pets.csv -o labelled.csv",
        "graphwell classify pets.csv -o labelled.csv --label species --id name --report report.html",
        "graphwell classify cells.parquet -o labelled.parquet --holdout 0.2 --json",
    ),
    "segment": (
        "graphwell segment photo.png --seeds marks.png -o regions.png",
        "graphwell segment photo.jpg --seeds marks.csv -o regions.npy --overlay borders.png --masks masks",
    ),
    "paint": (
        "graphwell paint photo.jpg --classes leaf,stem,ground",
        "graphwell paint photos --output painted",
    ),
    "suggest": (
        "graphwell suggest pets.csv -n 20 -o ask.csv",
        "graphwell suggest pets.csv --answers ask.csv -o answered.csv",
    ),
    "label": (
        "graphwell label pets.csv --label species --image-column photo",
        "graphwell label digits.csv --pixels 8x8 --drop truth",
        "graphwell label notes.parquet --text-column note --id number -o labelled.parquet",
    ),
    "digits": ("graphwell example digits -o digits.csv --per-class 3",),
    "image": ("graphwell example image -o pictures --noise 0.2",),
    "doctor": ("graphwell doctor", "graphwell doctor --json"),
    "reproduce": (
        "graphwell reproduce moons --runs 10",
        "graphwell reproduce all --data data --output figures",
    ),
    "demo": ("graphwell demo --output pictures",),
}
"""By the name of the command; each line holds options that the command has."""
