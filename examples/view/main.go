// Npyview shows arrays of any size in a browser: .npy files, the members of .npz archives, the tensors of .safetensors
// files, folders of these, and such files on web servers.
//
//	npyview [-addr 127.0.0.1:0] [-open] [-r] [-inflate MiB] FILE|DATA.npz|MODEL.safetensors|FOLDER|URL...
//
// It prints a link and serves until it is interrupted. The link works once, in one browser. With -open, npyview opens a
// second link in the default browser.
package main

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ndmap/ndmap/examples/view/internal/access"
	"github.com/ndmap/ndmap/examples/view/internal/serve"
	"github.com/ndmap/ndmap/examples/view/internal/source"
)

// static holds the page: dist if `make view` has built it, or else a placeholder.
//
//go:embed all:static
var static embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("npyview", flag.ContinueOnError)
	set.SetOutput(stderr)
	addr := set.String("addr", "127.0.0.1:0",
		"listen at `HOST:PORT`; a host other than 127.0.0.1 admits other machines")
	open := set.Bool("open", false, "open the link in a browser")
	recursive := set.Bool("r", false, "list nested folders, too")
	inflate := set.Int64("inflate", 256, "memory for compressed members of archives and Python objects, in `MiB`")
	set.Usage = func() {
		fmt.Fprintln(stderr,
			"usage: npyview [-addr HOST:PORT] [-open] [-r] [-inflate MiB] FILE|DATA.npz|MODEL.safetensors|FOLDER|URL...")
		set.PrintDefaults()
	}
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if set.NArg() == 0 || *inflate < 1 || *inflate > 1<<20 {
		set.Usage()
		return 2
	}
	if err := view(ctx, *addr, *open, source.Config{Recursive: *recursive, Inflate: *inflate << 20}, set.Args(), stdin,
		stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "npyview: %v\n", err)
		return 1
	}
	return 0
}

// view serves the files until ctx is done.
func view(ctx context.Context, addr string, open bool, cfg source.Config, paths []string, stdin io.Reader, stdout,
	stderr io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cfg.Context = ctx
	files, err := source.New(cfg, paths...)
	if err != nil {
		return err
	}
	defer files.Close()
	files.Tree() // assigns ids to the arrays, so that page addresses of an earlier run remain valid
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		fmt.Fprintf(stderr,
			"npyview: other machines can connect, and the connection is not encrypted: use -addr on trusted networks only\n")
	}
	gate := access.New(l.Addr(), host)
	page, err := fs.Sub(static, "static")
	if err != nil {
		return err
	}
	conns := limitConnections(l)
	server := newServer(conns.trackBusy(gate.Handler(conns.markKnown(serve.New(ctx, files, page)))))
	server.ConnContext = conns.context
	link := func() string { return linkOf(l.Addr(), host) + "/open?token=" + gate.Token() }
	if open {
		remove, err := openBrowser(link())
		if err != nil {
			fmt.Fprintf(stderr, "npyview: cannot open a browser: %v\n", err)
		} else {
			defer remove()
		}
	}
	fmt.Fprintln(stdout, link()) // also with -open: the program that opens links may exist and do nothing
	if f, ok := stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&fs.ModeCharDevice != 0 {
			fmt.Fprintln(stdout, "The link works once, in one browser. Enter prints another one, Ctrl-C quits.")
		}
	}
	go func() {
		for s := bufio.NewScanner(stdin); s.Scan(); {
			fmt.Fprintln(stdout, link())
		}
	}()
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(conns); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// linkOf returns the URL of the server at addr. host is the host that the user asked for.
func linkOf(addr net.Addr, host string) string {
	_, port, _ := net.SplitHostPort(addr.String())
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// newServer returns a server with timeouts for slow clients.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
}
