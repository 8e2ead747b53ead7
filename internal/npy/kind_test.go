package npy

import "testing"

// Files of other kinds are named, with the way on. Those of programs are what numpy.savez, gzip, h5py,
// scipy.io.savemat, pickle.dumps and so on wrote.
func TestOtherKinds(t *testing.T) {
	const magic = `; want the magic "\x93NUMPY"`
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
			"a pointer of Git LFS, not a .npy file; git lfs pull gets the file"},
		{"CSV", "1.5,2.5\r\n3,4\r\n",
			"text, not a .npy file; npy convert -dtype D reads tables of numbers, as CSV or numpy.savetxt have them"},
		{"text of Windows", "\xef\xbb\xbfx;y\r\n",
			"text, not a .npy file; npy convert -dtype D reads tables of numbers, as CSV or numpy.savetxt have them"},
		{"text that is cut in a character", "Stra\xc3\x9fe \xe2\x82",
			"text, not a .npy file; npy convert -dtype D reads tables of numbers, as CSV or numpy.savetxt have them"},
		{"empty", "", "an empty file, not a .npy file; what should have written it did not: make it again"},

		{"elements", "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00",
			`header at byte 0: not a .npy file: it starts with "\x00\x00\x00\x00\x00\x00"` + magic},
		{"zeros", string(make([]byte, 64)),
			`header at byte 0: not a .npy file: it starts with "\x00\x00\x00\x00\x00\x00"` + magic},
		{"pickle of a protocol that is none", "\x80\x06\x95\x00\x00",
			`header at byte 0: not a .npy file: it starts with "\x80\x06\x95\x00\x00"` + magic},
		{"Latin-1", "Stra\xdfe und", `header at byte 0: not a .npy file: it starts with "Stra\xdfe"` + magic},
		{"no MATLAB 4: no name",
			"\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00",
			`header at byte 0: not a .npy file: it starts with "\x00\x00\x00\x00\x02\x00"` + magic},
		{"transcoded", "\xc2\x93NUMPY", `header at byte 0: not a .npy file: it starts with "\u0093NUMP"` + magic},
	} {
		if _, err := Parse([]byte(tt.in), 0); err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}
