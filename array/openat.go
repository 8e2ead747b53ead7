package array

// OpenAt maps the .npy file that starts at byte offset of the file at path: a member of a tar archive, one of a zip
// archive that is stored without compression, or an array that numpy.save has written after another one, at byte
// DataOffset + NBytes of that. Offsets, in errors and of [File.DataOffset], count from the start of the
// file at path. [File.Append] is an error.
func OpenAt(path string, mode Mode, offset int64) (*File, error) {
	return Config{Mode: mode}.OpenAt(path, offset)
}

// OpenAt is the function [OpenAt] with the fields of cfg.
func (cfg Config) OpenAt(path string, offset int64) (*File, error) {
	if offset < 0 {
		if cfg.File != nil {
			cfg.File.Close()
		}
		return nil, &FormatError{path, "header", offset, "the offset is negative"}
	}
	return cfg.open(path, offset, true)
}
