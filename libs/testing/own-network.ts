/** A network namespace with one wire to it, which can be cut: for what has to be out of reach, and live. */
import { execFile, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Network = {
  /** Our address on the wire, and that of whoever lives at its other end. */
  outside: string
  inside: string
  /** Runs a command at the other end. */
  within: string[]
  cut(): Promise<void>
  mend(): Promise<void>
  /** At once, as for a process that ends. */
  remove(): void
}

/** A network namespace and a wire to it; why there is none, where only root may make one. */
export async function ownNetwork(): Promise<Network | { missing: string }> {
  const id = randomInt(65_536)
  const name = `tidemark-${id.toString(16)}`
  const [ours, theirs] = [`tm${id.toString(16)}a`, `tm${id.toString(16)}b`]
  // Addresses for measurements of networks (RFC 2544), which nothing in public has.
  const net = `198.${18 + (id & 1)}.${id >> 8}`
  const [outside, inside] = [`${net}.${(id & 0xfc) | 1}`, `${net}.${(id & 0xfc) | 2}`]
  const ip = (...words: string[]) => run('ip', words)
  const there = (...words: string[]) => ip('-n', name, ...words)
  const remove = () => {
    for (const words of [
      ['link', 'del', ours],
      ['netns', 'del', name],
    ])
      spawnSync('ip', words, { stdio: 'ignore' })
  }
  try {
    await ip('netns', 'add', name)
    await ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name)
    await ip('address', 'add', `${outside}/30`, 'dev', ours)
    await ip('link', 'set', ours, 'up')
    await there('address', 'add', `${inside}/30`, 'dev', theirs)
    await there('link', 'set', 'lo', 'up')
    await there('link', 'set', theirs, 'up')
  } catch (error) {
    remove()
    return { missing: `no network of its own could be made: ${(error as Error).message.split('\n')[0]}` }
  }
  return {
    outside,
    inside,
    within: ['ip', 'netns', 'exec', name],
    // Seen from here the wire stays: what is sent is lost, and no connection is told.
    cut: async () => void (await there('link', 'set', theirs, 'down')),
    mend: async () => void (await there('link', 'set', theirs, 'up')),
    remove,
  }
}
