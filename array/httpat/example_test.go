package httpat_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/ndmap/ndmap/array/httpat"
)

// A few bytes of a large file on a server are read. The query of the URL, which may be a signature, is not printed.
func Example() {
	data := make([]byte, 10_000_000)
	copy(data[5_000_000:], "far away")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "data.bin", time.Time{}, bytes.NewReader(data))
		fmt.Println(r.Method, r.Header.Get("Range"))
	}))
	defer server.Close()

	f, err := httpat.Open(context.Background(), server.Client(), server.URL+"/data.bin?signature=7f3a")
	if err != nil {
		log.Fatal(err)
	}
	p := make([]byte, 8)
	if _, err := f.ReadAt(p, 5_000_000); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Size(), string(p), f.String() == server.URL+"/data.bin")
	// Output:
	// GET bytes=0-65535
	// GET bytes=5000000-5000007
	// 10000000 far away true
}
