/**
 * Parses lists of hosts to block, in the format of hosts files (`0.0.0.0 bad.example`) or with one host per line. A
 * host includes its subdomains. Entries that are not a host are skipped.
 */
import { isIP } from 'node:net'

export type Blocklist = {
  size: number
  /**
   * Returns the entry that covers a host in normal form: the host itself or a parent domain. Null: no entry covers it.
   */
  find(hostname: string): string | null
}

/** Returns the blocklist of a set of hosts in normal form, as `hostsIn` yields them. */
export function blocklistOf(hosts: ReadonlySet<string>): Blocklist {
  return {
    size: hosts.size,
    find(hostname) {
      for (let name = withoutDot(hostname); name !== ''; name = parentOf(name))
        if (hosts.has(name)) return name
      return null
    },
  }
}

/**
 * Yields the hosts of a list in normal form, line by line, so that readers of long lists can pause. Lines without a
 * host yield an empty list.
 */
export function* hostsIn(text: string): Generator<string[]> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? undefined : end)
    at = end < 0 ? text.length : end + 1
    yield hostsOf(line)
  }
}

function hostsOf(line: string): string[] {
  const [first = '', ...others] = line.replace(/#.*/, '').trim().split(/\s+/)
  if (others.length === 0) return first === '' ? [] : normal(first)
  return isIP(first) === 0 ? [] : others.filter(isForeign).flatMap(normal)
}

/** Names of the machine itself, with which every hosts file begins. */
const own = /^(?:localhost|localhost\.localdomain|local|broadcasthost|ip6-.*)$/i
const isForeign = (name: string): boolean => isIP(name) === 0 && !own.test(name)

const plain = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/
/** A last label of decimal or hexadecimal digits makes a host an IP address, which has many spellings. */
const numeric = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/

function normal(written: string): string[] {
  const name = written.toLowerCase().replace(/^\*\./, '')
  if (plain.test(name) && !numeric.test(name)) return [withoutDot(name)]
  if (/[/?#@\\]/.test(name)) return []
  const bare = isIP(name) === 6 ? `[${name}]` : name
  const url = URL.parse(`http://${bare}/`)
  return url === null || url.port !== '' || url.hostname === '' ? [] : [withoutDot(url.hostname)]
}

const withoutDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)

function parentOf(name: string): string {
  const dot = name.indexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1)
}
