"""Pictures and volumes segmented in napari from a few painted marks."""
