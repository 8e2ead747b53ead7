package array

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// A crashRecorder records everything that the functions under test do to one directory, and finds the states of the
// disk that a power failure may leave. The disk contains the synced parts; every other part may be stored or lost,
// independently. Parts are sectors of 512 bytes, lengths of files, and names.
//
// Calls of observe inform a crashRecorder of syncs. It finds writes of any kind by comparing the files with their
// contents at the previous step.
type crashRecorder struct {
	t      *testing.T
	random *rand.Rand
	dir    string
	path   string // the file under test

	files  []*diskFile
	names  map[string]versions[*diskFile] // versions of each name; nil means that the name does not exist
	accept func(image []byte) error       // judges an image of the file; a nil image means that the file does not exist
	tried  int
	seen   map[string]bool // images that have been judged
	images [][]byte        // judged images that are files
}

// versions are the possible states of a part of the disk after a crash: the stored state, and all states written since.
type versions[T any] []T

// A diskFile is an inode.
type diskFile struct {
	info    os.FileInfo
	unnamed bool
	current []byte // contents as the program sees them
	stored  []byte // contents on the disk of sectors without newer versions
	size    versions[int]
	sectors map[int]versions[[]byte]
}

const sector = 512

// recordCrashes starts to watch the directory of path. The initial contents count as stored.
func recordCrashes(t *testing.T, path string) *crashRecorder {
	if runtime.GOOS == "windows" {
		t.Skip("os.SameFile does not recognize an open file under Wine: not tested here")
	}
	d := &crashRecorder{t: t, random: oracle.Rand(t, 0), dir: filepath.Dir(path), path: path,
		names: map[string]versions[*diskFile]{}, seen: map[string]bool{}}
	d.accept = func([]byte) error { return nil }
	d.recordChanges()
	for _, f := range d.files {
		f.stored = f.current
		f.size = f.size[len(f.size)-1:]
		clear(f.sectors)
	}
	for name, v := range d.names {
		d.names[name] = v[len(v)-1:]
	}
	observe = func(op, path string, off, n int) {
		d.recordChanges()
		if op != "sync" {
			return
		}
		d.judgeStates()
		if path == d.dir {
			for name, v := range d.names {
				d.names[name] = v[len(v)-1:]
			}
			return
		}
		if path == "" { // a file that has no name yet
			for _, f := range d.files {
				if f.unnamed {
					f.sync(off, n)
				}
			}
			return
		}
		v := d.names[filepath.Base(path)]
		if f := v[len(v)-1]; f != nil {
			f.sync(off, n)
		}
	}
	t.Cleanup(func() { d.stop() })
	return d
}

// stop ends the watch and returns the number of states tried.
func (d *crashRecorder) stop() int {
	observe = func(string, string, int, int) {}
	return d.tried
}

// sync stores the sectors of a range, and the length, as fdatasync(2) does.
func (f *diskFile) sync(off, n int) {
	f.size = f.size[len(f.size)-1:]
	if len(f.stored) < len(f.current) {
		f.stored = append(slices.Clone(f.stored), make([]byte, len(f.current)-len(f.stored))...)
	}
	f.stored = slices.Clone(f.stored[:len(f.current)])
	for s := off / sector; s*sector < off+n; s++ {
		if v := f.sectors[s]; len(v) > 0 {
			copy(f.stored[min(s*sector, len(f.stored)):], v[len(v)-1])
			delete(f.sectors, s)
		}
	}
}

// recordChanges records the changes of the directory since the previous call.
func (d *crashRecorder) recordChanges() {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	present := map[string]bool{}
	for _, e := range entries {
		name := filepath.Join(d.dir, e.Name())
		info, err := os.Lstat(name)
		if err != nil {
			d.t.Fatal(err)
		}
		f := d.recordFile(name, info)
		f.unnamed = false
		present[e.Name()] = true
		d.recordName(e.Name(), f)
	}
	// Open files that have no name yet.
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range open {
		if to, err := os.Readlink(link); err == nil && filepath.Dir(to) == d.dir && strings.HasSuffix(to, " (deleted)") &&
			strings.HasPrefix(filepath.Base(to), "#") {
			if info, err := os.Stat(link); err == nil {
				d.recordFile(link, info).unnamed = true
			}
		}
	}
	for name := range d.names {
		if !present[name] {
			d.recordName(name, nil)
		}
	}
}

// recordFile returns the diskFile that name refers to, and records its present contents.
func (d *crashRecorder) recordFile(name string, info os.FileInfo) *diskFile {
	i := slices.IndexFunc(d.files, func(f *diskFile) bool { return os.SameFile(f.info, info) })
	if i < 0 {
		i = len(d.files)
		d.files = append(d.files, &diskFile{info: info, size: versions[int]{0}, sectors: map[int]versions[[]byte]{}})
	}
	d.files[i].recordWrite(must(os.ReadFile(name)))
	return d.files[i]
}

// recordName records that name now refers to f.
func (d *crashRecorder) recordName(name string, f *diskFile) {
	v := d.names[name]
	if len(v) == 0 {
		v = append(v, nil)
	}
	if v[len(v)-1] != f {
		v = append(v, f)
	}
	d.names[name] = v
}

// recordWrite records the differences between b and the previous contents.
func (f *diskFile) recordWrite(b []byte) {
	if len(b) != f.size[len(f.size)-1] {
		f.size = append(f.size, len(b))
	}
	for s := 0; s*sector < len(b); s++ {
		lo, hi := s*sector, min((s+1)*sector, len(b))
		old := make([]byte, hi-lo)
		if lo < len(f.current) {
			copy(old, f.current[lo:])
		}
		if !bytes.Equal(old, b[lo:hi]) {
			f.sectors[s] = append(f.sectors[s], slices.Clone(b[lo:hi]))
		}
	}
	f.current = b
}

// mostStates is the maximum number of states of one moment that crash tries exhaustively. If there are more, crash
// tries a number of random states, and the extremes: all parts are new except at most one, or all are old except at
// most one.
const mostStates = 4096

// judgeStates judges the states that a power failure may leave at this moment.
func (d *crashRecorder) judgeStates() {
	// Version 0 of a part is the stored one.
	name := d.names[filepath.Base(d.path)]
	if len(name) == 0 {
		name = append(name, nil)
	}
	for k, f := range name {
		if k > 0 && f == name[k-1] {
			continue
		}
		if f == nil {
			d.tried++
			d.judge(nil)
			continue
		}
		sectors := make([]int, 0, len(f.sectors))
		for s := range f.sectors {
			sectors = append(sectors, s)
		}
		slices.Sort(sectors)
		counts := []int{len(f.size)}
		for _, s := range sectors {
			counts = append(counts, 1+len(f.sectors[s]))
		}
		for choice := range choices(d.random, counts, oracle.Cases(d.t, mostStates)) {
			for _, fill := range []byte{0, 0xDB} {
				d.tried++
				d.judge(f.image(choice, sectors, fill))
			}
		}
	}
}

// choices yields vectors c with 0 <= c[i] < counts[i]: all of them if there are at most mostStates, otherwise the
// extremes and the given number of random ones.
func choices(r *rand.Rand, counts []int, random int) func(yield func([]int) bool) {
	all := 1
	for _, n := range counts {
		if all *= n; all > mostStates {
			break
		}
	}
	c := make([]int, len(counts))
	return func(yield func([]int) bool) {
		if all <= mostStates {
			for clear(c); yield(c) && index.Next(c, counts, index.C); {
			}
			return
		}
		for _, most := range []bool{false, true} {
			for one := -1; one < len(c); one++ {
				for i, n := range counts {
					c[i] = 0
					if most != (i == one) {
						c[i] = n - 1
					}
				}
				if !yield(c) {
					return
				}
			}
		}
		for range random {
			for i, n := range counts {
				c[i] = r.IntN(n)
			}
			if !yield(c) {
				return
			}
		}
	}
}

// image returns the file with the chosen versions of its length and its sectors. Sectors that were written but never
// stored consist of fill.
func (f *diskFile) image(choice, sectors []int, fill byte) []byte {
	b := make([]byte, f.size[choice[0]])
	n := copy(b, f.stored)
	for i, s := range sectors {
		lo := s * sector
		if lo >= len(b) {
			continue
		}
		part := b[lo:min(lo+sector, len(b))]
		if v := choice[i+1]; v > 0 {
			copy(part, f.sectors[s][v-1])
		} else if lo >= n {
			for i := range part {
				part[i] = fill
			}
		}
	}
	return b
}

// judge calls accept once for each image. A nil image means that the file does not exist.
func (d *crashRecorder) judge(image []byte) {
	key := "none"
	if image != nil {
		key = string(image)
	}
	if d.seen[key] {
		return
	}
	d.seen[key] = true
	if err := d.accept(image); err != nil {
		d.t.Errorf("after a crash: %v\n%.200q", err, image)
	}
	if image != nil {
		d.images = append(d.images, slices.Clone(image))
	}
}

// setAccept replaces the function that judges images.
func (d *crashRecorder) setAccept(accept func(image []byte) error) {
	d.accept = accept
	clear(d.seen)
}

// arrayBytes reads image and returns its array as Write writes it, so that images compare equal even if their headers
// are spelled differently or bytes follow the data.
func arrayBytes(image []byte) ([]byte, error) {
	a, err := Read(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = Write(&b, a)
	return b.Bytes(), err
}

// acceptArrays accepts images that contain the array of one of the files. If one of the files is nil, acceptArrays
// also accepts a missing file.
func acceptArrays(files ...[]byte) func(image []byte) error {
	return func(image []byte) error {
		if image == nil {
			if slices.ContainsFunc(files, func(f []byte) bool { return f == nil }) {
				return nil
			}
			return fmt.Errorf("the file is missing")
		}
		got, err := arrayBytes(image)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(files, func(f []byte) bool { return f != nil && bytes.Equal(f, got) }) {
			return fmt.Errorf("the file has an unexpected array")
		}
		return nil
	}
}

// newFilledFile creates and syncs a file, and returns it and its contents. The bytes of its data are not zero, and
// differ between seeds as far as possible.
func newFilledFile(t *testing.T, seed byte, d string, order index.Order, shape ...int) (*File, []byte) {
	t.Helper()
	f := must(Create(tempPath(t), dtype.MustParse(d), order, shape...))
	t.Cleanup(func() { f.Close() })
	data := f.m.Bytes()[f.DataOffset():]
	for i := range data {
		data[i] = byte(i)*7 + byte(i/256) + seed | 1
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return f, must(os.ReadFile(f.Path()))
}

// joinedBytes joins the parts along axis and returns the array as Write writes it.
func joinedBytes(t *testing.T, axis int, parts ...Array) []byte {
	t.Helper()
	shape := parts[0].Shape()
	shape[axis] = 0
	for _, p := range parts {
		shape[axis] += p.Len(axis)
	}
	f := must(New(parts[0].DType(), parts[0].view.FileOrder(index.K), shape...))
	defer f.Close()
	sel := make([]index.Selector, axis+1)
	at := 0
	for _, p := range parts {
		sel[axis] = index.Range(at, at+p.Len(axis))
		at += p.Len(axis)
		if err := Copy(must(f.Select(sel...)), p); err != nil {
			t.Fatal(err)
		}
	}
	return writtenBytes(t, f.Array)
}

// TestPowerLossAppend tries the states that a power failure may leave at every moment of an Append. Each image must
// open, here and in NumPy, with the old array or the new one; after Append has returned, with the new one. Appending to
// each image must work.
func TestPowerLossAppend(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.AnyProcessor(t)
	total, images := 0, [][]byte(nil)
	for _, tt := range []struct {
		name     string
		d        string
		order    index.Order
		from, by []int
		tail     string // bytes after the data
		edits    bool   // elements are written and not synced
		column   bool   // the header says F order
	}{
		{name: "a digit more", d: "<f8", order: index.C, from: []int{9, 3}, by: []int{1, 3}},
		{name: "no digit more", d: ">i2", order: index.C, from: []int{300}, by: []int{699}},
		{name: "F order", d: "<f4", order: index.F, from: []int{5, 99}, by: []int{5, 9}},
		{name: "from nothing", d: "<f8", order: index.C, from: []int{0}, by: []int{100}},
		{name: "eight sectors", d: "<f8", order: index.C, from: []int{60, 8}, by: []int{60, 8}},
		{name: "more than can all be tried", d: "<f8", order: index.C, from: []int{99, 8}, by: []int{200, 8}},
		{name: "no bytes", d: "<f8", order: index.C, from: []int{9, 0}, by: []int{1, 0}},
		{name: "after a crash", d: "<f8", order: index.C, from: []int{9, 3}, by: []int{10, 3}, tail: strings.Repeat("tail",
			50)},
		{name: "after a crash of more", d: "<f8", order: index.C, from: []int{9, 3}, by: []int{1, 3},
			tail: strings.Repeat("tail", 500)},
		{name: "with edits", d: "|u1", order: index.C, from: []int{999}, by: []int{600}, edits: true},
		{name: "with edits far from the end", d: "|u1", order: index.C, from: []int{4000}, by: []int{600}, edits: true},
		{name: "a header of two sectors", d: longHeaderDType(t, index.C, []int{99}, []int{100}), order: index.C,
			from: []int{99}, by: []int{1}},
		{name: "a header of two sectors, with edits", d: longHeaderDType(t, index.C, []int{9, 2}, []int{12, 2}),
			order: index.C, from: []int{9, 2}, by: []int{3, 2}, edits: true},
		{name: "a header of two sectors, F order", d: longHeaderDType(t, index.F, []int{2, 3, 9}, []int{2, 3, 10}),
			order: index.F, from: []int{2, 3, 9}, by: []int{2, 3, 1}},
		{name: "a column in F order", d: "<f8", order: index.C, from: []int{9, 1}, by: []int{91, 1}, column: true},
		{name: "a column in F order, a header of two sectors", d: longHeaderDType(t, index.C, []int{99, 1}, []int{100, 1}),
			order: index.C, from: []int{99, 1}, by: []int{1, 1}, column: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, old := newFilledFile(t, 0, tt.d, tt.order, tt.from...)
			src, _ := newFilledFile(t, 100, tt.d, tt.order, tt.by...)
			axis := f.h.Axis()
			if tt.tail != "" || tt.column {
				f.Close()
				if err := os.WriteFile(f.Path(), append(slices.Clone(old), tt.tail...), 0o666); err != nil {
					t.Fatal(err)
				}
				if tt.column {
					changeToFortranOrder(t, f.Path())
				}
				*f = *must(Open(f.Path(), mmap.ReadWrite))
			}
			olds, news := [][]byte{old}, [][]byte{joinedBytes(t, axis, f.Array, src.Array)}

			d := recordCrashes(t, f.Path())
			if tt.edits {
				// Edit the first element, an element in the middle, and the last one. The last edit may reach the disk
				// with the new elements.
				data := f.m.Bytes()[f.DataOffset():]
				for _, i := range []int{0, len(data) / 2, len(data) - 1} {
					data[i] ^= 0x55
					for _, a := range olds[:len(olds):len(olds)] {
						a = slices.Clone(a)
						a[f.h.DataOffset+i] = data[i]
						olds = append(olds, a)
					}
					if tt.order == index.F {
						t.Fatal("edits in F order are not implemented: they move in the new file")
					}
					for _, a := range news[:len(news):len(news)] {
						a = slices.Clone(a)
						a[f.h.DataOffset+i] = data[i]
						news = append(news, a)
					}
				}
			}
			d.setAccept(acceptArrays(append(olds, news...)...))
			if err := f.Append(src.Array); err != nil {
				t.Fatal(err)
			}
			d.recordChanges()
			d.judgeStates()
			d.setAccept(acceptArrays(news[len(news)-1])) // with all edits
			d.judgeStates()
			total += d.stop()

			d.random.Shuffle(len(d.images), func(i, k int) { d.images[i], d.images[k] = d.images[k], d.images[i] })
			distinct := map[string]bool{}
			for _, image := range d.images {
				if distinct[string(image)] {
					continue
				}
				distinct[string(image)] = true
				if len(distinct) <= oracle.Cases(t, 40) {
					checkAppendAfterCrash(t, image, src.Array)
				}
				if len(distinct) <= oracle.Cases(t, 250) {
					images = append(images, image)
				}
			}
		})
	}
	t.Logf("%d states", total)
	testReadsInNumPy(t, images)
}

// checkAppendAfterCrash appends to a file that a crash left.
func checkAppendAfterCrash(t *testing.T, image []byte, src Array) {
	t.Helper()
	path := tempPath(t)
	if err := os.WriteFile(path, image, 0o666); err != nil {
		t.Fatal(err)
	}
	f := must(Open(path, mmap.ReadWrite))
	defer f.Close()
	want := joinedBytes(t, f.h.Axis(), f.Array, src)
	if err := f.Append(src); err != nil {
		t.Errorf("Append after a crash: %v", err)
	}
	b := must(os.ReadFile(path))
	if len(b) < len(want) || !bytes.Equal(b[:len(want)], want) {
		t.Errorf("Append after a crash: the file differs from the one that Save writes\n%.200q", b)
	}
}

// testReadsInNumPy tests that NumPy reads the same array from each image as this package does.
func testReadsInNumPy(t *testing.T, images [][]byte) {
	t.Run("NumPy", func(t *testing.T) {
		p := oracle.Start(t)
		if err := p.Run("import io", nil, nil); err != nil {
			t.Fatal(err)
		}
		for _, image := range images {
			want, err := arrayBytes(image)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			err = p.Run("g = io.BytesIO()\nnp.save(g, np.load(io.BytesIO(b64(x)), allow_pickle=False))\nout = g.getvalue()",
				image, &got)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("NumPy reads a different array: %v\n%.200q\n%.200q", err, image, got)
			}
		}
		t.Logf("%d images", len(images))
	})
}

// TestPowerLossGrow tries the states that a power failure may leave during Grow and during the flushes of an Appender.
func TestPowerLossGrow(t *testing.T) {
	f, current := newFilledFile(t, 0, "<f8", index.C, 7)
	d := recordCrashes(t, f.Path())
	a := must(NewAppender[float64](f))
	for n := range 12 {
		zeros := sequence("<f8", index.C, 0, 0)
		if n%2 == 0 {
			zeros = must(New(dtype.MustParse("<f8"), index.C, 10*n)).Array
		}
		next := joinedBytes(t, 0, f.Array, zeros)
		if n%2 == 1 {
			next = joinedBytes(t, 0, f.Array, sequence("<f8", index.C, n, 5*n))
		}
		d.setAccept(acceptArrays(current, next))
		err := error(nil)
		if n%2 == 0 {
			err = f.Grow(10 * n)
		} else {
			for k := range 5 * n {
				a.Append(float64(n + k))
			}
			err = a.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
		d.recordChanges()
		d.judgeStates()
		d.setAccept(acceptArrays(next))
		d.judgeStates()
		current = next
	}
	t.Logf("%d states", d.stop())
}

// TestPowerLossWriters tries the states that a power failure may leave while two Files of one file, as in two
// processes, take turns to edit and append, sometimes with Grow or an Appender. After each turn the file must contain
// everything that either of them has written before.
func TestPowerLossWriters(t *testing.T) {
	f, current := newFilledFile(t, 0, "<f8", index.C, 9, 3)
	files := []*File{f, must(Open(f.Path(), mmap.ReadWrite))}
	defer files[1].Close()
	reader := must(Open(f.Path(), mmap.ReadOnly))
	defer reader.Close()
	d := recordCrashes(t, f.Path())
	for n := range 12 {
		f := files[n%2]
		// Edit an element that may have been written through either File, then append.
		edited := slices.Clone(current)
		if i := 128 + (n*40)%(len(current)-128)/8*8; f.NBytes() > i-128 {
			f.m.Bytes()[i] ^= 0x55
			edited[i] ^= 0x55
		}
		old := must(Read(bytes.NewReader(edited)))
		rows := sequence("<f8", index.C, 1000*n, 1+n*7, 3)
		if n%4 == 3 {
			rows = must(New(dtype.MustParse("<f8"), index.C, 1+n*7, 3)).Array
		}
		next := joinedBytes(t, 0, old, rows)
		unedited := joinedBytes(t, 0, must(Read(bytes.NewReader(current))), rows)
		d.setAccept(acceptArrays(current, edited, next, unedited))
		var err error
		switch n % 4 {
		case 3:
			err = f.Grow(1 + n*7)
		case 2:
			a := must(NewAppender[float64](f))
			for b := range must(As[float64](rows)).Blocks(index.C) {
				err = errors.Join(err, a.Append(b...))
			}
			err = errors.Join(err, a.Close())
		default:
			err = f.Append(rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.recordChanges()
		d.judgeStates()
		d.setAccept(acceptArrays(next))
		d.judgeStates()
		if grew, err := reader.Refresh(); !grew || err != nil || !bytes.Equal(writtenBytes(t, reader.Array), next) {
			t.Fatalf("a reader sees a different array: %v, %v", grew, err)
		}
		current = next
	}
	t.Logf("%d states", d.stop())
}

// TestPowerLossSave tries the states that a power failure may leave while Save, Convert, Commit and Create create or
// replace a file.
func TestPowerLossSave(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.AnyProcessor(t)
	total := 0
	old := sequence("<i4", index.C, 1, 300)
	src := sequence(">f8", index.F, 1000, 20, 30)
	for _, tt := range []struct {
		name    string
		replace bool // a file exists at the path
		run     func(path string) error
	}{
		{"Save over a file", true, func(path string) error { return Save(path, src) }},
		{"Save to a new one", false, func(path string) error { return Save(path, src) }},
		{"Convert to a new one", false, func(path string) error { return Convert(path, src, src.DType(), index.K) }},
		{"Convert over a file", true, func(path string) error {
			return SaveConfig{Replace: true}.Convert(path, src, src.DType(),
				index.K)
		}},
		{"Convert, sparse", true, func(path string) error {
			return SaveConfig{Replace: true, Sparse: true}.Convert(path, src, src.DType(), index.K)
		}},
		{"Commit over a file", true, func(path string) error {
			return createAndCommit(SaveConfig{Replace: true}, path, src)
		}},
		{"Commit to a new one", false, func(path string) error { return createAndCommit(SaveConfig{}, path, src) }},
		{"Create over a file", true, func(path string) error {
			f, err := SaveConfig{Replace: true}.Create(path, src.DType(), index.F, src.Shape()...)
			if err == nil {
				err = errors.Join(Copy(f.Array, src), f.Sync(), f.Close())
			}
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tempPath(t)
			before := []byte(nil)
			if tt.replace {
				if err := Save(path, old); err != nil {
					t.Fatal(err)
				}
				before = must(os.ReadFile(path))
			}
			d := recordCrashes(t, path)
			// A file that Create made may contain zeros, and some of the elements.
			d.setAccept(func(image []byte) error {
				if a, err := Read(bytes.NewReader(image)); tt.name == "Create over a file" && err == nil &&
					a.DType().Equal(src.DType()) {
					return nil
				}
				return acceptArrays(before, writtenBytes(t, src))(image)
			})
			if err := tt.run(path); err != nil {
				t.Fatal(err)
			}
			d.recordChanges()
			d.judgeStates()
			d.setAccept(acceptArrays(writtenBytes(t, src)))
			d.judgeStates()
			total += d.stop()
		})
	}
	// Without a sync, the path names the old file, or the new file with any of its parts missing. The new file must
	// contain nothing of the old one.
	unsynced := SaveConfig{NoSync: true, Replace: true}
	for name, run := range map[string]func(path string) error{
		"Save":    func(path string) error { return unsynced.Save(path, src) },
		"Convert": func(path string) error { return unsynced.Convert(path, src, src.DType(), index.K) },
		"Create": func(path string) error {
			f, err := unsynced.Create(path, src.DType(), index.F, src.Shape()...)
			if err == nil {
				err = errors.Join(Copy(f.Array, src), f.Close())
			}
			return err
		},
	} {
		t.Run(name+" without a sync", func(t *testing.T) {
			path := tempPath(t)
			if err := Save(path, old); err != nil {
				t.Fatal(err)
			}
			before := must(os.ReadFile(path))
			full, torn := writtenBytes(t, src), 0
			d := recordCrashes(t, path)
			record := observe
			observe = func(op, path string, off, n int) {
				if op == "sync" {
					t.Errorf("%s was synced", path)
				}
				record(op, path, off, n)
			}
			d.setAccept(func(image []byte) error {
				if bytes.Equal(image, before) {
					return nil
				}
				if image == nil || len(image) > len(full) {
					return fmt.Errorf("%d bytes", len(image))
				}
				for lo := 0; lo < len(image); lo += sector {
					b := image[lo:min(lo+sector, len(image))]
					empty := bytes.Count(b, []byte{0}) == len(b) || bytes.Count(b, []byte{0xDB}) == len(b)
					head := lo == 0 && bytes.Equal(b[:128], full[:128]) && bytes.Count(b[128:], []byte{0}) == len(b)-128
					if !empty && !head && !bytes.Equal(b, full[lo:lo+len(b)]) {
						return fmt.Errorf("sector %d is neither new nor empty", lo/sector)
					}
				}
				if !bytes.Equal(image, full) {
					torn++
				}
				if a, err := Read(bytes.NewReader(image)); err == nil && (!a.DType().Equal(src.DType()) || !slices.Equal(a.Shape(),
					src.Shape())) {
					return fmt.Errorf("the file opens with dtype %v and shape %v", a.DType(), a.Shape())
				}
				return nil
			})
			if err := run(path); err != nil {
				t.Fatal(err)
			}
			d.recordChanges()
			d.judgeStates()
			if !bytes.Equal(must(os.ReadFile(path)), full) {
				t.Error("without a crash, the file differs from the one that Save writes")
			}
			if torn == 0 {
				t.Error("no state with a missing part was tried")
			}
			total += d.stop()
		})
	}
	t.Run("Create", func(t *testing.T) {
		path := tempPath(t)
		d := recordCrashes(t, path)
		zeros := must(New(src.DType(), index.F, 20, 30)).Array
		// A file created in place is missing, is refused, or contains zeros.
		d.setAccept(func(image []byte) error {
			if _, err := arrayBytes(image); err != nil {
				return nil
			}
			return acceptArrays(writtenBytes(t, zeros))(image)
		})
		f := must(Create(path, src.DType(), index.F, 20, 30))
		defer f.Close()
		d.recordChanges()
		d.judgeStates()
		d.setAccept(func([]byte) error { return nil }) // unsynced elements may be stored or not
		if err := Copy(f.Array, src); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		d.setAccept(acceptArrays(nil, writtenBytes(t, src))) // the name of the file is not synced
		d.judgeStates()
		if err := atomicfile.SyncDir(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		observe("sync", filepath.Dir(path), 0, 0)
		d.setAccept(acceptArrays(writtenBytes(t, src)))
		d.judgeStates()
		total += d.stop()
	})
	t.Logf("%d states", total)
}

// createAndCommit creates a file with the elements of src by CreatePending, Copy and Commit.
func createAndCommit(cfg SaveConfig, path string, src Array) error {
	f, err := cfg.CreatePending(path, src.DType(), index.F, src.Shape()...)
	if err != nil {
		return err
	}
	return errors.Join(Copy(f.Array, src), f.Commit(), f.Close())
}
