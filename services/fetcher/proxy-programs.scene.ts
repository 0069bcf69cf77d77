/** Proxy programs of Debian, installed or unpacked beside the other servers, behind a counting TCP relay. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { unpack } from '@tidemark/deploy/local/servers/apt'
import { binFolder } from '@tidemark/deploy/local/servers/binaries'
import { startMicrosocks, startTinyproxy } from '@tidemark/testing/proxy-programs'
import { startWire, type Wire } from '@tidemark/testing/wire'

const programs = {
  tinyproxy: { package: 'tinyproxy-bin', start: startTinyproxy },
  microsocks: { package: 'microsocks', start: startMicrosocks },
}

export type ProxyProgramName = keyof typeof programs

export type WiredProxy = AsyncDisposable & { wire: Wire; url: string }

/** Starts a proxy with a login. Returns null if the program is neither installed nor downloadable. */
export async function startWiredProxy(name: ProxyProgramName): Promise<WiredProxy | null> {
  const program = await programs[name].start(
    { user: 'anna', password: 'secret' },
    (await find(name)) ?? undefined,
  )
  if (program === null) return null
  const { hostname, port } = new URL(program.url)
  const wire = await startWire(Number(port), hostname)
  return {
    wire,
    url: program.url.replace(`${hostname}:${port}`, wire.at),
    async [Symbol.asyncDispose]() {
      await wire[Symbol.asyncDispose]()
      await program[Symbol.asyncDispose]()
    },
  }
}

async function find(name: ProxyProgramName): Promise<string | null> {
  if (existsSync(path.join('/usr/bin', name))) return null
  const bin = binFolder(process.env, path.resolve('.tidemark'))
  const program = path.join(bin, name, 'usr/bin', name)
  if (!existsSync(program))
    await unpack([{ folder: name, suite: 'own', packages: [programs[name].package] }], bin, () => {}).catch(
      () => {},
    )
  return program
}
