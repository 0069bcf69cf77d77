/**
 * The names that this machine knows by itself (hosts(5)): whoever runs it may add to them at any time, so the file
 * is read again when it has changed.
 */
import fs from 'node:fs/promises'
import net from 'node:net'

export type HostsFile = {
  /** The addresses of a name in the order of the file; none for a name that is not there. */
  addressesOf(name: string): Promise<string[]>
}

const looksEveryMs = 5_000

/** A file that cannot be read knows no name. */
export function openHostsFile(file = '/etc/hosts'): HostsFile {
  let names = new Map<string, string[]>()
  let changedAt = Number.NaN
  let lookedAt = Number.NEGATIVE_INFINITY
  let first: Promise<void> | null = null

  async function look(): Promise<void> {
    const found = await fs.stat(file).catch(() => null)
    if (found?.mtimeMs === changedAt) return
    names = namesIn(await fs.readFile(file, 'utf8').catch(() => ''))
    changedAt = found?.mtimeMs ?? Number.NaN
  }

  return {
    async addressesOf(name) {
      if (performance.now() - lookedAt > looksEveryMs) {
        lookedAt = performance.now()
        const looking = look()
        first ??= looking
      }
      await first // nobody waits for the disk again
      return names.get(name.toLowerCase().replace(/\.$/, '')) ?? []
    },
  }
}

/** An address, then its names; `#` begins a comment. Lines of anything else are passed over. */
export function namesIn(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (net.isIP(address) === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), address])
    }
  }
  return names
}
