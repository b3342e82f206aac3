package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: t, cluster: {server: "%s"%s}}]
users: [{name: admin, user: {token: admintoken}}]
contexts: [{name: t, context: {cluster: t, user: admin}}]
current-context: t
`

type server struct {
	*store
	gzipOK bool
	leases sync.Map
	h1, h2 atomic.Int64 // requests by protocol, for /control/stats
}

func serve(args []string) {
	fs := flag.NewFlagSet("serve", flag.ExitOnError)
	n := fs.Int("n", 10000, "number of StorageBuckets")
	dir := fs.String("dir", ".", "where to write kubeconfig (TLS, with h2 and http/1.1) and kubeconfig.http (plain HTTP/1.1)")
	gz := fs.Bool("gzip", true, "compress lists over 128 kB when the client asks, as kube-apiserver does")
	fs.Parse(args)
	s := &server{store: newStore(*n), gzipOK: *gz}
	h := http.HandlerFunc(s.handle)
	plain, secure := listen(), listen()
	go func() {
		srv := &http.Server{Handler: h, TLSConfig: &tls.Config{Certificates: []tls.Certificate{selfSigned()}},
			ErrorLog: log.New(io.Discard, "", 0), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 250, MaxReadFrameSize: 1 << 20}}
		log.Fatal(srv.ServeTLS(secure, "", ""))
	}()
	write := func(name, url, tls string) string {
		file := filepath.Join(*dir, name)
		if err := os.WriteFile(file, fmt.Appendf(nil, kubeconfig, url, tls), 0o600); err != nil {
			log.Fatal(err)
		}
		return file
	}
	ready, err := json.Marshal(map[string]any{
		"event": "listening", "n": *n, "objectBytes": len(s.objs[0].render(nil)), "url": "http://" + plain.Addr().String(),
		"kubeconfig":     write("kubeconfig", "https://"+secure.Addr().String(), ", insecure-skip-tls-verify: true"),
		"kubeconfigHttp": write("kubeconfig.http", "http://"+plain.Addr().String(), ""),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(ready))
	log.Fatal((&http.Server{Handler: h}).Serve(plain))
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return l
}

func selfSigned() tls.Certificate {
	k, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	t := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "replay"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &k.PublicKey, k)
	if err != nil {
		log.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: k}
}

func js(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	io.WriteString(w, body)
}

func status(w http.ResponseWriter, code int, reason string) {
	js(w, code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s","reason":"%s","code":%d}`, reason, reason, code))
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	p := strings.TrimSuffix(r.URL.Path, "/")
	q := r.URL.Query()
	if r.ProtoMajor == 2 {
		s.h2.Add(1)
	} else {
		s.h1.Add(1)
	}
	if rest, ok := strings.CutPrefix(p, base); ok && rest != "" {
		parts := strings.Split(rest[1:], "/")
		if parts[0] == "namespaces" && len(parts) > 2 {
			parts = parts[2:]
		}
		if parts[0] != plural {
			status(w, 404, "NotFound")
			return
		}
		switch {
		case len(parts) == 1 && r.Method == "GET" && (q.Get("watch") == "true" || q.Get("watch") == "1" || q.Get("watch") == "True"):
			s.watch(w, r)
		case len(parts) == 1 && r.Method == "GET":
			s.list(w, r)
		case r.Method == "GET":
			s.mu.Lock()
			o := s.byName[parts[1]]
			var b []byte
			if o != nil {
				b = o.render(nil)
			}
			s.mu.Unlock()
			if o == nil {
				status(w, 404, "NotFound")
				return
			}
			js(w, 200, string(b))
		case r.Method == "PATCH" || r.Method == "PUT": // PUT is taken as a merge of what it carries
			body, _ := io.ReadAll(r.Body)
			b, code := s.patch(parts[1], body, len(parts) == 3 && parts[2] == "status")
			if code != 200 {
				status(w, code, map[int]string{404: "NotFound", 409: "Conflict", 400: "BadRequest"}[code])
				return
			}
			js(w, 200, string(b))
		default:
			status(w, 405, "MethodNotAllowed")
		}
		return
	}
	switch {
	case p == "/control/blast":
		m, _ := strconv.Atoi(q.Get("n"))
		rate, _ := strconv.ParseFloat(q.Get("rate"), 64)
		d := s.blast(m, rate, q.Get("stamp") != "")
		js(w, 200, fmt.Sprintf(`{"event":"blast","n":%d,"ms":%.1f}`, m, float64(d)/1e6))
	case p == "/control/stats":
		s.mu.Lock()
		js(w, 200, fmt.Sprintf(`{"rv":%d,"watchers":%d,"patches":%d,"http1":%d,"http2":%d}`, s.rv, len(s.watchers), s.patches.Load(), s.h1.Load(), s.h2.Load()))
		s.mu.Unlock()
	case p == "/version":
		js(w, 200, `{"major":"1","minor":"35","gitVersion":"v1.35.4","gitCommit":"replay","gitTreeState":"clean","buildDate":"2026-01-01T00:00:00Z","goVersion":"go1.26","compiler":"gc","platform":"linux/amd64"}`)
	case p == "/api":
		js(w, 200, `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]}`)
	case p == "/api/v1":
		js(w, 200, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"namespaces","singularName":"namespace","namespaced":false,"kind":"Namespace","verbs":["get","list"]},{"name":"events","singularName":"event","namespaced":true,"kind":"Event","verbs":["create"]}]}`)
	case p == "/apis":
		js(w, 200, `{"kind":"APIGroupList","apiVersion":"v1","groups":[`+groupJSON(group, version)+`,`+groupJSON("coordination.k8s.io", "v1")+`]}`)
	case p == "/apis/"+group:
		js(w, 200, groupJSON(group, version))
	case p == base:
		js(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"`+group+`/`+version+`","resources":[{"name":"storagebuckets","singularName":"storagebucket","namespaced":true,"kind":"StorageBucket","shortNames":["sb"],"verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"storageVersionHash":"x"},{"name":"storagebuckets/status","singularName":"","namespaced":true,"kind":"StorageBucket","verbs":["get","patch","update"]}]}`)
	case p == "/apis/coordination.k8s.io/v1":
		js(w, 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"coordination.k8s.io/v1","resources":[{"name":"leases","singularName":"lease","namespaced":true,"kind":"Lease","verbs":["create","get","patch","update","list","watch"]}]}`)
	case strings.HasPrefix(p, "/apis/coordination.k8s.io/v1/namespaces/"):
		s.lease(w, r, p)
	case strings.HasPrefix(p, "/api/v1/namespaces/") && r.Method == "POST": // events
		body, _ := io.ReadAll(r.Body)
		js(w, 201, string(body))
	case p == "/openapi/v3":
		js(w, 200, `{"paths":{}}`)
	case p == "/openapi/v2":
		js(w, 200, `{"swagger":"2.0","info":{"title":"replay","version":"v1"},"paths":{}}`)
	case p == "/readyz" || p == "/healthz":
		io.WriteString(w, "ok")
	case strings.HasPrefix(p, "/api"):
		status(w, 403, "Forbidden")
	default:
		status(w, 404, "NotFound")
	}
}

func groupJSON(g, v string) string {
	gv := `{"groupVersion":"` + g + `/` + v + `","version":"` + v + `"}`
	return `{"kind":"APIGroup","apiVersion":"v1","name":"` + g + `","versions":[` + gv + `],"preferredVersion":` + gv + `}`
}

func (s *server) lease(w http.ResponseWriter, r *http.Request, p string) {
	body, _ := io.ReadAll(r.Body)
	switch r.Method {
	case "GET":
		if v, ok := s.leases.Load(p); ok {
			js(w, 200, v.(string))
		} else {
			status(w, 404, "NotFound")
		}
	default:
		var m map[string]any
		if json.Unmarshal(body, &m) != nil {
			status(w, 400, "BadRequest")
			return
		}
		md, _ := m["metadata"].(map[string]any)
		if r.Method == "POST" && md != nil {
			p += "/" + fmt.Sprint(md["name"])
		}
		s.mu.Lock()
		s.rv++
		if md != nil {
			md["resourceVersion"] = strconv.FormatUint(s.rv, 10)
		}
		s.mu.Unlock()
		b, _ := json.Marshal(m)
		s.leases.Store(p, string(b))
		js(w, map[bool]int{true: 201, false: 200}[r.Method == "POST"], string(b))
	}
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	off := 0
	if c := q.Get("continue"); c != "" {
		b, _ := base64.RawURLEncoding.DecodeString(c)
		off, _ = strconv.Atoi(string(b))
	}
	gz := s.gzipOK && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
	key := fmt.Sprintf("%d/%d/%v", limit, off, gz)
	s.mu.Lock()
	if s.cacheRV != s.rv {
		s.cache, s.cacheRV = map[string][]byte{}, s.rv
	}
	out, ok := s.cache[key]
	if !ok {
		end := len(s.objs)
		cont := ""
		if limit > 0 && off+limit < end {
			end = off + limit
			cont = `"continue":"` + base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(end))) + `","remainingItemCount":` + strconv.Itoa(len(s.objs)-end) + `,`
		}
		b := make([]byte, 0, (end-off)*1400+200)
		b = append(b, `{"apiVersion":"`+group+`/`+version+`","items":[`...)
		for i := off; i < end; i++ {
			if i > off {
				b = append(b, ',')
			}
			b = s.objs[i].render(b)
		}
		b = append(b, `],"kind":"StorageBucketList","metadata":{`+cont+`"resourceVersion":"`+strconv.FormatUint(s.rv, 10)+`"}}`...)
		if gz && len(b) > 128<<10 {
			var z bytes.Buffer
			zw, _ := gzip.NewWriterLevel(&z, 4)
			zw.Write(b)
			zw.Close()
			b = z.Bytes()
		}
		s.cache[key], out = b, b
	}
	s.mu.Unlock()
	if len(out) > 2 && out[0] == 0x1f && out[1] == 0x8b {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.Write(out)
}

func (s *server) watch(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := strconv.ParseUint(q.Get("resourceVersion"), 10, 64)
	initial := q.Get("sendInitialEvents") == "true"
	bookmarks := q.Get("allowWatchBookmarks") == "true"
	ww := newWatcher()
	s.mu.Lock()
	if initial || from == 0 {
		ww.buf = make([]byte, 0, len(s.objs)*1400)
		for _, o := range s.objs {
			ww.buf = o.event(ww.buf, "ADDED")
		}
		if initial {
			ww.buf = bookmark(ww.buf, s.rv, `,"annotations":{"k8s.io/initial-events-end":"true"}`)
		}
	} else {
		for _, o := range s.objs { // newest state of everything changed since; older versions are not kept
			if o.rv > from {
				ww.buf = o.event(ww.buf, "MODIFIED")
			}
		}
	}
	s.watchers[ww] = struct{}{}
	s.mu.Unlock()
	stop := func() { ww.mu.Lock(); ww.dead = true; ww.mu.Unlock(); ww.cond.Signal() }
	defer func() { s.mu.Lock(); delete(s.watchers, ww); s.mu.Unlock() }()
	if t, _ := strconv.Atoi(q.Get("timeoutSeconds")); t > 0 {
		defer time.AfterFunc(time.Duration(t)*time.Second, stop).Stop()
	}
	if bookmarks {
		tk := time.NewTicker(50 * time.Second)
		defer tk.Stop()
		go func() {
			for range tk.C {
				s.mu.Lock()
				ww.mu.Lock()
				ww.buf = bookmark(ww.buf, s.rv, "")
				ww.mu.Unlock()
				s.mu.Unlock()
				ww.cond.Signal()
			}
		}()
	}
	var write func(b []byte) error
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		h := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(h[:]))
		rw.Flush()
		go func() { io.Copy(io.Discard, rw); stop() }()
		write = func(b []byte) error { // one text frame per event, as kube-apiserver does
			for len(b) > 0 {
				i := bytes.IndexByte(b, '\n') + 1
				hdr := []byte{0x81, 126, 0, 0}
				if i < 126 {
					hdr = []byte{0x81, byte(i)}
				} else {
					binary.BigEndian.PutUint16(hdr[2:], uint16(i))
				}
				rw.Write(hdr)
				if _, err := rw.Write(b[:i]); err != nil {
					return err
				}
				b = b[i:]
			}
			return rw.Flush()
		}
	} else {
		go func() { <-r.Context().Done(); stop() }()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(200)
		fl := w.(http.Flusher)
		fl.Flush()
		write = func(b []byte) error {
			if _, err := w.Write(b); err != nil {
				return err
			}
			fl.Flush()
			return nil
		}
	}
	var spare []byte
	for {
		ww.mu.Lock()
		for len(ww.buf) == 0 && !ww.dead {
			ww.cond.Wait()
		}
		if ww.dead {
			ww.mu.Unlock()
			return
		}
		b := ww.buf
		ww.buf = spare[:0]
		ww.mu.Unlock()
		if write(b) != nil {
			return
		}
		if spare = b; cap(spare) > 16<<20 {
			spare = nil
		}
	}
}

func bookmark(b []byte, rv uint64, ann string) []byte {
	return append(b, fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"StorageBucket","apiVersion":"%s/%s","metadata":{"resourceVersion":"%d","creationTimestamp":null%s}}}`+"\n", group, version, rv, ann)...)
}
