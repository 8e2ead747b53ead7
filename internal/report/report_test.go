package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

type progressFunc = func(done, total int64) error

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// works holds all operations with a function named Progress. Each processes a, in a folder that prepare has filled.
var works = map[string]func(dir string, a array.Array, tell progressFunc) error{
	"array.SaveConfig.Save": func(dir string, a array.Array, tell progressFunc) error {
		return array.SaveConfig{Replace: true, Progress: tell}.Save(filepath.Join(dir, "a.npy"), a)
	},
	"array.SaveConfig.Save, NoSync": func(dir string, a array.Array, tell progressFunc) error {
		return array.SaveConfig{Replace: true, Progress: tell, NoSync: true}.Save(filepath.Join(dir, "a.npy"), a)
	},
	"array.SaveConfig.Convert": func(dir string, a array.Array, tell progressFunc) error {
		return array.SaveConfig{Progress: tell}.Convert(filepath.Join(dir, "b.npy"), a, dtype.Int16, index.F)
	},
	"array.SaveConfig.Make": func(dir string, a array.Array, tell progressFunc) error {
		return array.SaveConfig{Progress: tell}.Make(filepath.Join(dir, "b.npy"), a.DType(), index.C, a.Shape(),
			func(f *array.File) error { return array.Copy(f.Array, a) })
	},
	"array.File.Commit": func(dir string, a array.Array, tell progressFunc) error {
		f, err := array.SaveConfig{Replace: true, Progress: tell}.CreatePending(filepath.Join(dir, "a.npy"), a.DType(),
			index.C,
			a.Shape()...)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Commit()
	},
	"array.File.Grow": func(dir string, a array.Array, tell progressFunc) error {
		f, err := array.OpenConfig{Mode: array.ReadWrite, Progress: tell}.Open(filepath.Join(dir, "a.npy"))
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Grow(a.Len(0))
	},
	"array.File.Append": func(dir string, a array.Array, tell progressFunc) error {
		f, err := array.OpenConfig{Mode: array.ReadWrite, Progress: tell}.Open(filepath.Join(dir, "a.npy"))
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Append(a, a)
	},
	"array.Appender": func(dir string, a array.Array, tell progressFunc) error {
		f, err := array.OpenConfig{Mode: array.ReadWrite, Progress: tell}.Open(filepath.Join(dir, "a.npy"))
		if err != nil {
			return err
		}
		defer f.Close()
		w, err := array.NewAppender[float32](f)
		if err == nil {
			err = w.Append(make([]float32, 1+a.Size())...)
		}
		if err == nil {
			err = w.Close()
		}
		return err
	},
	"array.Reduction.Of": func(_ string, a array.Array, tell progressFunc) error {
		_, err := array.Reduction{Op: array.OpSum, Progress: tell}.Of(a)
		return err
	},
	"array.Reduction.Of, of a broadcast array": func(_ string, a array.Array, tell progressFunc) error {
		_, err := array.Reduction{Op: array.OpMax, Progress: tell}.Of(must(must(a.Select(index.NewAxis)).Broadcast(3,
			a.Size())))
		if a.Size() == 0 && errors.Is(err, array.ErrShape) { // no elements have no maximum
			return tell(0, 0)
		}
		return err
	},
	"array.Reduction.MeanStd": func(_ string, a array.Array, tell progressFunc) error {
		_, _, err := array.Reduction{Progress: tell}.MeanStd(a)
		return err
	},
	"array.Reduction.Save": func(dir string, a array.Array, tell progressFunc) error {
		return array.Reduction{Op: array.OpMoments, Axes: []int{}, Progress: tell}.Save(filepath.Join(dir, "a.npy"), a)
	},
	"array.Comparison.Equal": func(_ string, a array.Array, tell progressFunc) error {
		_, err := array.Comparison{Progress: tell}.Equal(a, must(a.Clone(index.C)))
		return err
	},
	"array.Comparison.Equal, of others": func(_ string, a array.Array, tell progressFunc) error {
		_, err := array.Comparison{Progress: tell}.Equal(a, must(array.New(dtype.Int8, index.C, a.Size())).Array)
		return err
	},
	"array.Comparison.Equal, of padding": func(_ string, a array.Array, tell progressFunc) error {
		d := must(dtype.Struct(4, dtype.Field{Name: "x", Type: dtype.Void(0)}))
		b := must(array.New(d, index.C, a.Size())).Array
		_, err := array.Comparison{Progress: tell}.Equal(b, b)
		return err
	},
	"array.Comparison.Diff": func(_ string, a array.Array, tell progressFunc) error {
		_, err := array.Comparison{Progress: tell}.Diff(a, must(a.Clone(index.C)))
		return err
	},
	"npz.SaveConfig.Save": func(dir string, a array.Array, tell progressFunc) error {
		return npz.SaveConfig{Progress: tell, NoSync: true, Replace: true}.Save(filepath.Join(dir, "a.npz"),
			map[string]array.Array{"a": a})
	},
	"npz.SaveConfig.Save, compressed": func(dir string, a array.Array, tell progressFunc) error {
		return npz.SaveConfig{Progress: tell, NoSync: true, Replace: true, Compress: true}.Save(filepath.Join(dir, "a.npz"),
			map[string]array.Array{"a": a})
	},
	"npz.Append": func(dir string, a array.Array, tell progressFunc) error {
		w, err := npz.Append(filepath.Join(dir, "a.npz"))
		if err != nil {
			return err
		}
		w.Progress, w.NoSync = tell, true
		defer w.Discard()
		if err := w.Add("b", a); err != nil {
			return errors.Join(err, w.Close())
		}
		return w.Close()
	},
	"npz.NewWriter": func(_ string, a array.Array, tell progressFunc) error {
		w := npz.NewWriter(io.Discard)
		w.Progress = tell
		return w.Add("b", a)
	},
	"safetensors.SaveConfig.Save": func(dir string, a array.Array, tell progressFunc) error {
		return safetensors.SaveConfig{Progress: tell, NoSync: true, Replace: true}.Save(
			filepath.Join(dir, "a.safetensors"), map[string]array.Array{"a": a}, nil)
	},
	"safetensors.SaveConfig.Create": func(dir string, a array.Array, tell progressFunc) error {
		f, err := safetensors.SaveConfig{Progress: tell, Replace: true}.Create(filepath.Join(dir, "a.safetensors"),
			[]safetensors.Tensor{{Name: "a", DType: a.DType(), Shape: a.Shape()}}, nil)
		if err != nil {
			return err
		}
		return f.Close()
	},
	"safetensors.SaveConfig.Make, NoSync": func(dir string, a array.Array, tell progressFunc) error {
		return safetensors.SaveConfig{Progress: tell, NoSync: true, Replace: true}.Make(
			filepath.Join(dir, "a.safetensors"), []safetensors.Tensor{{Name: "a", DType: a.DType(), Shape: a.Shape()}}, nil,
			func(f *safetensors.File) error { return nil })
	},
}

// prepareFolder returns a folder with a file of each format.
func prepareFolder(t *testing.T) string {
	dir := t.TempDir()
	for name, b := range prepared {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var prepared = func() map[string][]byte {
	a := must(array.FromSlice([]float32{1, 2, 3})).Array()
	var plain, archive, model bytes.Buffer
	w := npz.NewWriter(&archive)
	s := must(safetensors.NewWriter(&model, []safetensors.Tensor{{Name: "a", DType: a.DType(), Shape: a.Shape()}}, nil))
	for _, err := range []error{array.Write(&plain, a), w.Add("a", a), w.Close(), s.Write(a), s.Close()} {
		must(0, err)
	}
	return map[string][]byte{"a.npy": plain.Bytes(), "a.npz": archive.Bytes(), "a.safetensors": model.Bytes()}
}()

func content(t *testing.T, dir string) map[string][]byte {
	all := map[string][]byte{}
	for _, e := range must(os.ReadDir(dir)) {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = b
	}
	return all
}

var errStop = errors.New("stop")

// ways are the ways in which a call of Progress can end an operation.
var ways = map[string]func() error{
	"an error": func() error { return errStop },
	"a panic":  func() error { panic(errStop) },
	"Goexit":   func() error { runtime.Goexit(); return nil },
}

// TestContract tests that all operations follow the contract of [report.Counter]: that the calls of Progress are right,
// and that each of them can end the operation, which then leaves all files unchanged.
func TestContract(t *testing.T) {
	for name, work := range works {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{0, 5, 40_000, 300_000} {
				x := make([]float32, n)
				for i := range x {
					x[i] = 1 + float32(i%3)/4
				}
				a := must(array.FromSlice(x)).Array()
				var calls [][2]int64
				err := work(prepareFolder(t), a, func(done, total int64) error {
					calls = append(calls, [2]int64{done, total})
					return nil
				})
				if err := checkCalls(calls); err != nil {
					t.Errorf("%d elements: %v: %v", n, err, calls)
				}
				if err != nil {
					t.Fatal(err)
				}
				if n > 40_000 || n == 40_000 && !strings.Contains(name, "JSON") { // the same number of calls as for 5
					continue
				}
				for how, stop := range ways {
					for k := range calls {
						if err := checkStop(t, work, a, k, stop); err != nil {
							t.Errorf("%d elements, %s in call %d of %d: %v", n, how, k+1, len(calls), err)
						}
					}
				}
			}
		})
	}
}

// checkCalls returns an error if the calls of Progress break the contract.
func checkCalls(calls [][2]int64) error {
	if len(calls) == 0 {
		return errors.New("Progress was not called")
	}
	total, last := calls[0][1], int64(0)
	for k, c := range calls {
		switch {
		case c[1] != total:
			return errors.New("total changes")
		case c[0] < last:
			return errors.New("done decreases")
		case (c[0] == total) != (k == len(calls)-1):
			return errors.New("want done == total in the last call, and only there")
		}
		last = c[0]
	}
	if calls[0][0] != 0 {
		return errors.New("want done == 0 in the first call")
	}
	return nil
}

// checkStop returns an error unless call k of Progress ends the operation by calling stop, without changing files.
func checkStop(t *testing.T, work func(dir string, a array.Array, tell progressFunc) error, a array.Array, k int,
	stop func() error) error {
	dir := prepareFolder(t)
	calls, err, returned := 0, error(nil), false
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		err = work(dir, a, func(_, _ int64) error {
			if calls++; calls == k+1 {
				return stop()
			}
			return nil
		})
		returned = true
	}()
	p := <-ended
	switch {
	case p != nil && p != errStop:
		panic(p)
	case returned && !errors.Is(err, errStop):
		return fmt.Errorf("the operation returned %v, want the error of Progress", err)
	case calls != k+1:
		return fmt.Errorf("%d calls of Progress", calls)
	}
	same := bytes.Equal
	if runtime.GOOS == "windows" {
		same = bytes.HasPrefix // mapped files do not lose bytes
	}
	if have := content(t, dir); !maps.EqualFunc(have, prepared, same) {
		return fmt.Errorf("files have changed: want -, got +\n%.2000s", cmp.Diff(prepared, have))
	}
	return nil
}
