package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var (
	hc            = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 32}}
	apiURL, token string
)

func do(method, path, ctype, body string) (int, []byte) {
	req, _ := http.NewRequestWithContext(context.Background(), method, apiURL+path, bytes.NewReader([]byte(body)))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", ctype)
	req.Header.Set("Accept", "application/json")
	res, err := hc.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, b
}

func objBody(i int) string {
	return fmt.Sprintf(`{"apiVersion":"%s/%s","kind":"StorageBucket","metadata":{"name":"bucket-%06d","namespace":"%s","annotations":{"bench/ts":"0"},"labels":{"app.kubernetes.io/managed-by":"bench","team":"team-%d"}},"spec":{"provider":"s3","endpoint":"https://s3.eu-central-1.example.com","bucket":"bucket-%06d-data","region":"eu-central-1","probe":{"periodSeconds":60,"timeoutSeconds":5}}}`, group, version, i, ns, i%10, i)
}

// target declares the flags that say which server to drive.
func target(fs *flag.FlagSet) {
	fs.StringVar(&apiURL, "server", "", "https://127.0.0.1:port")
	fs.StringVar(&token, "token", "", "bearer token")
}

// seed creates n objects with a status on an API server that has the kind and the namespace.
func seed(args []string) {
	fs := flag.NewFlagSet("seed", flag.ExitOnError)
	target(fs)
	n := fs.Int("n", 5000, "")
	fs.Parse(args)
	t0 := time.Now()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= *n {
					return
				}
				if c, b := do("POST", base+"/namespaces/"+ns+"/"+plural, "application/json", objBody(i)); c >= 300 && c != 409 {
					log.Fatal(c, string(b))
				}
				if c, b := do("PATCH", fmt.Sprintf("%s/namespaces/%s/%s/bucket-%06d/status", base, ns, plural, i), "application/merge-patch+json",
					`{"status":{"available":true,"lastProbeTime":"2026-11-30T00:00:00Z","conditions":[{"type":"Available","status":"True","observedGeneration":1,"lastTransitionTime":"2026-11-30T00:00:00Z","reason":"ProbeSucceeded","message":"bucket answered the probe"}]}}`); c >= 300 {
					log.Fatal(c, string(b))
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf(`{"event":"seeded","n":%d,"ms":%d}`+"\n", *n, time.Since(t0).Milliseconds())
}

// poke patches the bench/ts annotation of one object after another at a set rate; the value is "now" in Unix
// nanoseconds taken just before the request, so a peer's latency includes the apiserver's write (printed here).
func poke(args []string) {
	fs := flag.NewFlagSet("poke", flag.ExitOnError)
	target(fs)
	rate := fs.Float64("rate", 100, "")
	m := fs.Int("m", 2000, "")
	n := fs.Int("n", 5000, "objects to rotate over")
	fs.Parse(args)
	do("GET", "/version", "application/json", "")
	rtt := make([]float64, *m)
	var wg sync.WaitGroup
	t0 := time.Now()
	for i := 0; i < *m; i++ {
		time.Sleep(time.Until(t0.Add(time.Duration(float64(i) / *rate * 1e9))))
		wg.Go(func() {
			t := time.Now()
			c, b := do("PATCH", fmt.Sprintf("%s/namespaces/%s/%s/bucket-%06d", base, ns, plural, (i*7)%*n), "application/merge-patch+json", fmt.Sprintf(`{"metadata":{"annotations":{"bench/ts":"%d"}}}`, t.UnixNano()))
			if c >= 300 {
				log.Fatal(c, string(b))
			}
			rtt[i] = float64(time.Since(t)) / 1e6
		})
	}
	wg.Wait()
	slices.Sort(rtt)
	fmt.Printf(`{"event":"poked","n":%d,"ms":%d,"patchP50":%.2f,"patchP99":%.2f}`+"\n", *m, time.Since(t0).Milliseconds(), rtt[len(rtt)/2], rtt[len(rtt)*99/100])
}
