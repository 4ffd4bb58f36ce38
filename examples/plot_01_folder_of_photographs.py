"""
Label a folder of images
========================

Photographs, a few of them in folders named after their classes, become embeddings, labels, and a list of given labels
that look wrong.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

import graphwell as gw

pixels, truth = load_digits(return_X_y=True)
folder = Path(tempfile.mkdtemp()) / "photos"
paths, labels = [], []
for number, (values, digit) in enumerate(zip(pixels[:900], truth[:900], strict=True)):
    given = str(digit) if number % 6 == 0 else "unknown"
    if number in (30, 120, 300):  # somebody was tired
        given = str((digit + 3) % 10)
    paths.append(folder / given / f"{number}.png")
    labels.append(None if given == "unknown" else given)
    paths[-1].parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.uint8(15 * values.reshape(8, 8))).resize((32, 32)).save(paths[-1])

# %%
# ``graphwell classify photos/ --labels-from-folders --encoder pixels --check-labels`` does all of this. In Python it is two lines. Thumbnails
# are enough for digits; for photographs of things take ``"dinov2"``, or whatever network you have.

X = gw.encode(paths, "pixels", cache=folder.parent / "vectors")
clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, labels)
unknown = np.array([label is None for label in labels])
print(f"{100 * (clf.transduction_ == truth[:900].astype(str))[unknown].mean():.1f} % of the others are right")

# %%
# Given labels that the rest of the photographs contradicts, worst first:

print(clf.label_issues_.head(5).round(3).to_string(index=False))

# %%
figure, panels = plt.subplots(1, 5, figsize=(7, 1.9), layout="constrained")
for panel, issue in zip(panels, clf.label_issues_.head(5).itertuples(), strict=False):
    panel.imshow(Image.open(paths[issue.row]), cmap="gray")
    panel.set_title(f"in {issue.label}/, looks\nlike {issue.suggested}", fontsize=8)
for panel in panels:
    panel.set_axis_off()
plt.show()
