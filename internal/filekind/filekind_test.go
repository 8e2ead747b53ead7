package filekind

import "testing"

// TestDescribe tests the descriptions of files of other kinds. The bytes were written by numpy.savez, gzip, h5py,
// scipy.io.savemat, pickle.dumps and other programs.
func TestDescribe(t *testing.T) {
	const page = "an HTML or XML page, not a .npy file; a server sent it instead of the file: read the page, and download the file again"
	for _, tt := range []struct{ name, in, want string }{
		{"npz", "PK\x03\x04\x14\x00\x00\x00\x00\x00", "a zip archive (.npz), not a .npy file; use npz.Open"},
		{"npz of no arrays", "PK\x05\x06\x00\x00\x00\x00\x00\x00", "a zip archive (.npz), not a .npy file; use npz.Open"},
		{"gzip", "\x1f\x8b\x08\x08\xe6\x1f\x00\x00\x00\x03a.npy",
			"compressed by gzip, not a .npy file; decompress it (gunzip), or Read from a gzip.Reader"},
		{"bzip2", "BZh91AY&SY", "compressed by bzip2, not a .npy file; decompress it (bunzip2), or Read from a bzip2.Reader"},
		{"xz", "\xfd7zXZ\x00\x00\x04", "compressed by xz, not a .npy file; decompress it (unxz)"},
		{"zstd", "\x28\xb5\x2f\xfd\x04\x00", "compressed by zstd, not a .npy file; decompress it (unzstd)"},
		{"HDF5", "\x89HDF\r\n\x1a\n\x00\x00",
			"an HDF5 file, not a .npy file; save the data set from Python, with h5py and numpy.save"},
		{"MATLAB 7.3", "MATLAB 7.3 MAT-file, Platform: GLNXA64",
			"a MATLAB file of version 7.3, which is HDF5, not a .npy file; save the variable from Python, with h5py and numpy.save"},
		{"MATLAB 5", "MATLAB 5.0 MAT-file Platform: posix",
			"a MATLAB file (.mat), not a .npy file; save the variable from Python, with scipy.io.loadmat and numpy.save"},
		{"MATLAB 4", "\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00x\x00\x00\x00",
			"a MATLAB file (.mat) of version 4, not a .npy file; save the variable from Python, with scipy.io.loadmat and numpy.save"},
		{"MATLAB 4, big-endian", "\x00\x00\x03\xe8\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x03ab\x00",
			"a MATLAB file (.mat) of version 4, not a .npy file; save the variable from Python, with scipy.io.loadmat and numpy.save"},
		{"NetCDF", "CDF\x01\x00\x00\x00\x00",
			"a NetCDF file, not a .npy file; save the variable from Python, with netCDF4 and numpy.save"},
		{"pickle", "\x80\x04\x95\x8f\x00\x00\x00\x00\x00\x00\x00\x8c\x15numpy.core.multiarray",
			"a Python pickle, not a .npy file; unpickling runs code: if you trust it, load it in Python and use numpy.save"},
		{"pickle of protocol 0", "cnumpy.core.multiarray\n_reconstruct\n",
			"a Python pickle, not a .npy file; unpickling runs code: if you trust it, load it in Python and use numpy.save"},
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\n",
			"a Git LFS pointer, not a .npy file; git lfs pull gets the file"},
		{"CSV", "1.5,2.5\r\n3,4\r\n",
			"text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt"},
		{"text of Windows", "\xef\xbb\xbfx;y\r\n",
			"text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt"},
		{"text that is cut in a character", "Stra\xc3\x9fe \xe2\x82",
			"text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt"},
		{"empty", "", "an empty file, not a .npy file; the program that should have written it did not; write it again"},

		{"start of a Git LFS pointer", "version ht", "a Git LFS pointer, not a .npy file; git lfs pull gets the file"},
		{"HTML", "\r\n<!DOCTYPE html><html>", page},
		{"HTML without a type", "\xef\xbb\xbf<HTML lang=en>", page},
		{"XML", "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code>", page},

		{"elements", "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00",
			""},
		{"zeros", string(make([]byte, 64)),
			""},
		{"pickle of a protocol that is none", "\x80\x06\x95\x00\x00",
			""},
		{"Latin-1", "Stra\xdfe und", ""},
		{"no MATLAB 4: no name",
			"\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00",
			""},
		{"transcoded", "\xc2\x93NUMPY", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head := []byte(tt.in)[:min(len(tt.in), HeadLen)]
			if got := Describe(head, NPY); got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
			}
		})
	}
}

// TestDescribeForOtherFormats tests that the fix names the functions that write the wanted format, and that a file of
// the wanted format has no description.
func TestDescribeForOtherFormats(t *testing.T) {
	for _, tt := range []struct{ name, in, npz, safetensors string }{
		{"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:",
			"a Git LFS pointer, not a zip archive (.npz); git lfs pull gets the file",
			"a Git LFS pointer, not a .safetensors file; git lfs pull gets the file"},
		{"HTML", "<!DOCTYPE html><html><head><title>Virus scan warning</title></head></html>\n",
			"an HTML or XML page, not a zip archive (.npz); a server sent it instead of the file: read the page, and download the file again",
			"an HTML or XML page, not a .safetensors file; a server sent it instead of the file: read the page, and download the file again"},
		{"text", `{"error":"not found"}`,
			"text, not a zip archive (.npz); it may say what went wrong where the file was made or downloaded",
			"text, not a .safetensors file; it may say what went wrong where the file was made or downloaded"},
		{"npy", "\x93NUMPY\x01\x00v\x00{'descr': '<f8'",
			"a .npy file, not a zip archive (.npz); use array.Open", "a .npy file, not a .safetensors file; use array.Open"},
		{"npz", "PK\x03\x04\x14\x00\x00\x00\x00\x00", "",
			"a zip archive (.npz, or a model of PyTorch), not a .safetensors file; use npz.Open"},
		{"gzip", "\x1f\x8b\x08\x08", "compressed by gzip, not a zip archive (.npz); decompress it (gunzip)",
			"compressed by gzip, not a .safetensors file; decompress it (gunzip)"},
		{"HDF5", "\x89HDF\r\n\x1a\n\x00\x00",
			"an HDF5 file, not a zip archive (.npz); save the data set from Python, with h5py and numpy.savez",
			"an HDF5 file, not a .safetensors file; save the data set from Python, with h5py and safetensors.numpy.save_file"},
		{"GGUF", "GGUF\x03\x00\x00\x00",
			"a GGUF file, not a zip archive (.npz); save its tensors from Python, with gguf and numpy.savez",
			"a GGUF file, not a .safetensors file; save its tensors from Python, with gguf and safetensors.numpy.save_file"},
		{"empty", "",
			"an empty file, not a zip archive (.npz); the program that should have written it did not; write it again",
			"an empty file, not a .safetensors file; the program that should have written it did not; write it again"},
		{"safetensors", "\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Describe([]byte(tt.in), NPZ); got != tt.npz {
				t.Errorf("got  %s\nwant %s", got, tt.npz)
			}
			if got := Describe([]byte(tt.in), Safetensors); got != tt.safetensors {
				t.Errorf("got  %s\nwant %s", got, tt.safetensors)
			}
		})
	}
}

func TestIsText(t *testing.T) {
	for in, want := range map[string]bool{"1.5,2.5\r\n": true, "\xef\xbb\xbfx;y": true, "# a comment\n1e3 2e3\n": true,
		"": false,
		"version https://git-lfs.github.com/spec/v1\n": false, "<!DOCTYPE html>": false, "\x93NUMPY\x01\x00": false,
		"GGUF and text": false, "\x00\x01": false} {
		t.Run(in, func(t *testing.T) {
			if got := IsText([]byte(in)); got != want {
				t.Errorf("%q: %v", in, got)
			}
		})
	}
}
