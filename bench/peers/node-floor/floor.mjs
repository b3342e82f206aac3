// What Node itself costs, without a framework: not a peer, a floor for the plan.
//   node floor.mjs sync  h1|h2|undici  list|pages|stream  parse|strip|lazy   [plain|gzip]
//   node floor.mjs patch h1|h2|undici  N
//   node floor.mjs churn h1|h2|undici  parse|lazy M
// Env: PORT (replay's TLS port). undici is what @kubernetes/client-node brings.
import { createRequire } from 'node:module';
import http2 from 'node:http2';
import https from 'node:https';
import http from 'node:http';
import zlib from 'node:zlib';
const require = createRequire(import.meta.url);
const { Agent, request: urequest } = require('undici');
const PORT = Number(process.env.PORT), HOST = `https://127.0.0.1:${PORT}`, BASE = '/apis/storage.farwatch.dev/v1alpha1/storagebuckets';
const [what, transport, ...rest] = process.argv.slice(2);
const CONNS = Number(process.env.CONNS ?? 32);

// ---- transports: stream(path, onChunk, headers) resolves at the end; patch(path, body) resolves at the response's end
let stream, patch;
if (transport === 'h2') {
  const s = http2.connect(HOST, { rejectUnauthorized: false, settings: { initialWindowSize: 4 << 20 } });
  await new Promise((r) => s.once('connect', r));
  s.setLocalWindowSize?.(16 << 20);
  stream = (path, onChunk, headers = {}) => new Promise((res, rej) => {
    const q = s.request({ ':path': path, ...headers });
    q.on('response', (h) => { const src = h['content-encoding'] === 'gzip' ? q.pipe(zlib.createGunzip()) : q; src.on('data', onChunk); src.on('end', res); });
    q.on('error', rej);
  });
  patch = (path, body) => new Promise((res, rej) => {
    const q = s.request({ ':path': path, ':method': 'PATCH', 'content-type': 'application/merge-patch+json', 'content-length': body.length });
    q.on('error', rej); q.on('data', () => {}); q.on('end', res); q.end(body);
  });
} else if (transport === 'h1') {
  const agent = new https.Agent({ keepAlive: true, maxSockets: CONNS + 1, rejectUnauthorized: false });
  const opt = (path, method, headers) => ({ host: '127.0.0.1', port: PORT, path, method, headers, agent, rejectUnauthorized: false });
  stream = (path, onChunk, headers = {}) => new Promise((res, rej) => {
    https.request(opt(path, 'GET', headers), (r) => { const src = r.headers['content-encoding'] === 'gzip' ? r.pipe(zlib.createGunzip()) : r; src.on('data', onChunk); src.on('end', res); }).on('error', rej).end();
  });
  patch = (path, body) => new Promise((res, rej) => {
    const q = https.request(opt(path, 'PATCH', { 'content-type': 'application/merge-patch+json', 'content-length': body.length }), (r) => { r.on('data', () => {}); r.on('end', res); });
    q.on('error', rej); q.end(body);
  });
} else {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, connections: CONNS + 1, bodyTimeout: 0 });
  stream = async (path, onChunk, headers = {}) => {
    const r = await urequest(HOST + path, { dispatcher, headers });
    const src = r.headers['content-encoding'] === 'gzip' ? r.body.pipe(zlib.createGunzip()) : r.body;
    for await (const c of src) onChunk(c);
  };
  patch = async (path, body) => { const r = await urequest(HOST + path, { dispatcher, method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body }); await r.body.dump(); };
}

const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6; };
const report = (o, c0, t0) => console.log(JSON.stringify({ what, transport, args: rest, ms: Math.round(performance.now() - t0), cpu: +(cpu() - c0).toFixed(3), rssMB: process.memoryUsage().rss >> 20, ...o }));

// newline splitter over Buffers, without copying whole-line chunks
function lines(onLine) {
  let left = null;
  return (c) => {
    let b = left ? Buffer.concat([left, c]) : c, i = 0, j;
    left = null;
    while ((j = b.indexOf(10, i)) !== -1) { onLine(b, i, j); i = j + 1; }
    if (i < b.length) left = b.subarray(i);
  };
}
const cut = (b, i, j, key) => { const k = b.indexOf(key, i); const a = k + key.length; return b.latin1Slice(a, b.indexOf(34, a)); };
const cache = new Map();
const store = {
  parse(b, i, j) { const o = JSON.parse(b.utf8Slice(i, j)); const m = o.object.metadata; if (o.type === 'BOOKMARK') return false; cache.set(m.namespace + '/' + m.name, o.object); return true; },
  strip(b, i, j) { const o = JSON.parse(b.utf8Slice(i, j)); const m = o.object.metadata; if (o.type === 'BOOKMARK') return false; m.managedFields = undefined; cache.set(m.namespace + '/' + m.name, o.object); return true; },
  lazy(b, i, j) { // type, namespace, name and resourceVersion are cut from the bytes; the object stays bytes until somebody asks
    if (b[i + 9] === 66) return false; // {"type":"B…
    const e = b.indexOf('},"spec"', i); // metadata ends here in this data; a real one needs a proper scanner
    const n = b.lastIndexOf('"name":"', e) + 8;
    const name = b.latin1Slice(n, b.indexOf(34, n));
    const ns = cut(b, n, j, '"namespace":"'), rv = cut(b, n, j, '"resourceVersion":"');
    cache.set(ns + '/' + name, { rv, raw: Buffer.from(b.subarray(i, j)) });
    return true;
  },
};

const t0 = performance.now(), c0 = cpu();
if (what === 'sync') {
  const [mode, how, enc] = rest;
  const headers = enc === 'gzip' ? { 'accept-encoding': 'gzip' } : {};
  if (mode === 'stream') {
    await new Promise((done) => {
      stream(`${BASE}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, lines((b, i, j) => { if (!store[how](b, i, j)) done(); }), headers);
    });
  } else {
    let cont = '';
    do {
      const parts = [];
      await stream(`${BASE}?${mode === 'pages' ? 'limit=500' : ''}${cont ? '&continue=' + cont : ''}`, (c) => parts.push(c), headers);
      const l = JSON.parse(Buffer.concat(parts).toString());
      cont = l.metadata.continue ?? '';
      for (const o of l.items) { if (how === 'strip') o.metadata.managedFields = undefined; cache.set(o.metadata.namespace + '/' + o.metadata.name, o); }
    } while (cont);
  }
  report({ n: cache.size, cpuSinceStart: +cpu().toFixed(3), sinceStartMs: Math.round(performance.now()) }, c0, t0);
  globalThis.gc?.();
  await new Promise((r) => setTimeout(r, 1000));
  console.log(JSON.stringify({ idleRssMB: process.memoryUsage().rss >> 20, heapUsedMB: process.memoryUsage().heapUsed >> 20, external: process.memoryUsage().external >> 20 }));
} else if (what === 'patch') {
  const n = Number(rest[0]);
  for (let round = 0; round < 2; round++) {
    const t0 = performance.now(), c0 = cpu();
    let next = 0;
    const at = `2026-11-30T${String(10 + round)}:${String(Math.floor(Math.random() * 60)).padStart(2, '0')}:00Z`;
    await Promise.all(Array.from({ length: 32 }, async () => {
      while (next < n) {
        const i = next++;
        await patch(`/apis/storage.farwatch.dev/v1alpha1/namespaces/bench/storagebuckets/bucket-${String(i).padStart(6, '0')}/status`, Buffer.from(`{"status":{"available":true,"lastProbeTime":"${at}"}}`));
      }
    }));
    report({ round, n, cpuPer1000: +((cpu() - c0) * 1000 / n).toFixed(4) }, c0, t0);
  }
} else if (what === 'churn') {
  const [how, M] = rest;
  let seen = 0, t = 0, c = 0, ready = false;
  await new Promise((done) => {
    stream(`${BASE}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, lines((b, i, j) => {
      if (!store[how](b, i, j)) {
        if (!ready) { ready = true; setTimeout(() => http.get(`http://127.0.0.1:${PORT - 1}/control/blast?n=${M}`), 300); }
        return;
      }
      if (!ready) return;
      if (seen++ === 0) { t = performance.now(); c = cpu(); }
      if (seen === Number(M)) done();
    }));
  });
  report({ events: seen, cpuPer1000: +((cpu() - c) * 1000 / seen).toFixed(4), ms: Math.round(performance.now() - t) }, c, t);
}
process.exit(0);
