/**
 * A network namespace with one link to it, which can be cut, for processes that must become unreachable while they
 * run.
 */
import { execFile, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Network = {
  /** Our address on the link, and the address at its other end. */
  outside: string
  inside: string
  /** Prefix of commands that run at the other end. */
  within: string[]
  cut(): Promise<void>
  mend(): Promise<void>
  /** Synchronous, for a process that exits. */
  remove(): void
}

/** Returns a network namespace with a link to it, or why it is missing: only root can create one. */
export async function ownNetwork(): Promise<Network | { missing: string }> {
  const id = randomInt(65_536)
  const name = `tidemark-${id.toString(16)}`
  const [ours, theirs] = [`tm${id.toString(16)}a`, `tm${id.toString(16)}b`]
  // Addresses for network benchmarks (RFC 2544), which are never public.
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
    // From this end the link stays up: packets are lost, and no connection gets an error.
    cut: async () => void (await there('link', 'set', theirs, 'down')),
    mend: async () => void (await there('link', 'set', theirs, 'up')),
    remove,
  }
}
