/**
 * Maintains the blocklist: the built-in list, and the operator's list, which is read at the start and again
 * periodically. If it cannot be read, its last version stays in use and the reason is reported.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { type Blocklist, blocklistOf, hostsIn } from './hosts.ts'

type Options = {
  /** Path of a file, or URL of a list on any host; empty: only the built-in list. */
  source: string
  refreshSeconds: number
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Returns the entry that covers a URL's host, or null. */
export type FindBlocked = (url: string) => string | null

const bundled = join(import.meta.dirname, 'blocklist.txt')
const maxBytes = 128 * 1024 ** 2
const loadMs = 30_000
/**
 * Maximum milliseconds that `openBlocklist` waits for the operator's list. Until it arrives, only the built-in one is
 * used.
 */
const firstMs = 5_000
const pauseAfterLines = 5_000

/** Returns the lookup. Never rejects because of the operator's list, which it reads again until the signal aborts. */
export async function openBlocklist({
  source,
  refreshSeconds,
  signal,
  report,
}: Options): Promise<FindBlocked> {
  const own = blocklistOf(await hostsOf(await readFile(bundled, 'utf8')))
  let theirs = blocklistOf(new Set())
  const load = async () => {
    theirs = await read(source, signal)
  }
  const reported = (error: unknown) => {
    if (!signal.aborted) report(error)
  }

  async function keepReading(): Promise<void> {
    while (!signal.aborted) {
      await sleep(refreshSeconds * 1000, undefined, { signal, ref: false })
        .then(load)
        .catch(reported)
    }
  }

  if (source !== '') {
    const first = load().catch(reported)
    await Promise.race([first, sleep(firstMs, undefined, { ref: false })])
    void first.then(keepReading)
  }
  return url => {
    const hostname = URL.parse(url)?.hostname ?? ''
    return own.find(hostname) ?? theirs.find(hostname)
  }
}

async function read(source: string, signal: AbortSignal): Promise<Blocklist> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(loadMs)])
  const text = await (/^https?:\/\//i.test(source) ? download(source, limited) : readLimited(source))
  const hosts = await hostsOf(text)
  if (hosts.size === 0 && /^\s*[^\s#]/m.test(text)) throw new Error(`${source} names no host`)
  return blocklistOf(hosts)
}

async function hostsOf(text: string): Promise<Set<string>> {
  const hosts = new Set<string>()
  let lines = 0
  for (const found of hostsIn(text)) {
    for (const host of found) hosts.add(host)
    if (++lines % pauseAfterLines === 0) await breathe()
  }
  return hosts
}

async function readLimited(path: string): Promise<string> {
  if ((await stat(path)).size > maxBytes) throw tooLong(path)
  return readFile(path, 'utf8')
}

async function download(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Error(`${address} returned HTTP ${response.status}`)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > maxBytes) throw tooLong(address)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const tooLong = (source: string) => new Error(`${source} is longer than ${maxBytes} bytes`)
