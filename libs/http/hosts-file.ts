/**
 * Reads the hosts file of this machine (hosts(5)), and reads it again after an operator has changed it.
 */
import fs from 'node:fs/promises'
import net from 'node:net'

export type HostsFile = {
  /** Returns the addresses of a name in the order of the file; empty: the file does not have the name. */
  addressesOf(name: string): Promise<string[]>
}

const checkEveryMs = 5_000

/** Returns access to the names in the file. An unreadable file counts as empty. */
export function openHostsFile(file = '/etc/hosts'): HostsFile {
  let names = new Map<string, string[]>()
  let changedAt = Number.NaN
  let checkedAt = Number.NEGATIVE_INFINITY
  let first: Promise<void> | null = null

  async function readIfChanged(): Promise<void> {
    const found = await fs.stat(file).catch(() => null)
    if (found?.mtimeMs === changedAt) return
    names = namesIn(await fs.readFile(file, 'utf8').catch(() => ''))
    changedAt = found?.mtimeMs ?? Number.NaN
  }

  return {
    async addressesOf(name) {
      if (performance.now() - checkedAt > checkEveryMs) {
        checkedAt = performance.now()
        const reading = readIfChanged()
        first ??= reading
      }
      await first // later calls do not wait for the disk
      return names.get(name.toLowerCase().replace(/\.$/, '')) ?? []
    },
  }
}

/** Parses lines of an address and its names; `#` begins a comment. Other lines are skipped. */
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
