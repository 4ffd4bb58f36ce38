"""Arrays that lie on a GPU already come and go without a copy."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphwell import DiffuseInterfaceClassifier
from graphwell.backends.cuda.dlpack import fetched, is_on_gpu


def few(y, every=15):
    return np.where(np.arange(len(y)) % every == 0, y, -1)


def test_results_lie_where_the_rows_lay(gpu):
    X, y = load_digits(return_X_y=True)
    expected = DiffuseInterfaceClassifier(models=None, device="cuda", random_state=0).fit(X, few(y))
    found = DiffuseInterfaceClassifier(models=None, device="cuda", random_state=0).fit(
        gpu.asarray(X), gpu.asarray(few(y))
    )
    assert isinstance(found.transduction_, gpu.ndarray)
    np.testing.assert_array_equal(found.transduction_.get(), expected.transduction_)
    np.testing.assert_array_equal(found.label_distributions_.get(), expected.label_distributions_)
    predicted = found.predict(gpu.asarray(X[:20]))
    assert isinstance(predicted, gpu.ndarray)
    np.testing.assert_array_equal(predicted.get(), expected.predict(X[:20]))
    with pytest.raises(ValueError, match="NaN or infinity"):
        found.fit(gpu.full((50, 3), np.nan), [0, 1] * 25)
    with pytest.raises(ValueError, match="two dimensions"):
        found.fit(gpu.ones(5), [0, 1, -1, -1, -1])


def test_pytorch_tensors_come_and_go_without_a_copy(gpu):
    torch = pytest.importorskip("torch")
    X, y = load_digits(return_X_y=True)
    rows = torch.asarray(X, device="cuda", requires_grad=True)
    found = DiffuseInterfaceClassifier(models=None, device="cuda", random_state=0).fit(rows, few(y))
    assert found.transduction_.device.type == found.label_distributions_.device.type == "cuda"
    assert isinstance(found.label_distributions_, torch.Tensor)
    expected = DiffuseInterfaceClassifier(models=None, device="cuda", random_state=0).fit(X, few(y))
    np.testing.assert_array_equal(found.transduction_.cpu().numpy(), expected.transduction_)


def test_arrays_of_the_host_are_told_from_those_of_a_gpu():
    class OnGpu:
        def __dlpack_device__(self):
            return 2, 0

    assert is_on_gpu(OnGpu())
    assert not is_on_gpu(np.zeros(2))
    assert not is_on_gpu([1, 2])
    assert fetched([1, 2]).tolist() == [1, 2]
