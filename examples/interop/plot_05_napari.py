"""
In napari
=========

The plugin `napari-graphwell` segments an image from a labels layer, and frames where to mark next. Here napari is opened with a
picture, some marks and the plugin's panel; then paint, and press **Segment**. This page is shown and not run: napari needs a screen.

Install it with ``pip install plugins/napari-graphwell "napari[all]"``.
"""

import napari
import numpy as np

import graphwell as gw

image, truth = gw.datasets.make_grey_image(noise=0.1, random_state=0)
marks = gw.datasets.sample_labels(truth.ravel(), per_class=20, random_state=0).reshape(truth.shape)

# %%
# In a labels layer 0 is unknown and classes count from 1.

viewer = napari.Viewer()
viewer.add_image(image, name="picture")
viewer.add_labels(marks + 1, name="marks")
viewer.window.add_plugin_dock_widget("napari-graphwell", "Segment with graphwell")

# %%
# The same without the panel, from napari's console or a script: a `Segmenter` keeps the graph, so that a further
# stroke costs a fraction of the first call. What it finds, drawn by ``graphwell segment --sheet``:
#
# .. image:: /_static/segmented.png
#    :alt: The noisy grey picture, its marks, the picture tinted by the classes that were found, and the doubt along borders.

segmenter = gw.Segmenter(image)
found = segmenter.segment(viewer.layers["marks"].data.astype(np.int64) - 1)
viewer.add_labels(found.labels + 1, name="graphwell", opacity=0.4)
napari.run()
