/** The generated site, served by its own process. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from './child.ts'
import type { Site } from './round.ts'
import type { Served } from './site-server.ts'

/** Resolves when the site answers. */
export async function startSite(
  pages: number,
  { hosts, isTls = false }: { hosts: number; isTls?: boolean },
): Promise<Site & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-site-'))
  const authority = isTls ? join(folder, 'authority.pem') : null
  const server = startChild('site-server.ts', String(pages), String(hosts), isTls ? 'tls' : 'plain')
  const { origins, bytes, certificate } = await server.receive<Served>()
  if (authority !== null) await writeFile(authority, certificate ?? '')
  return {
    ...{ origins, pages, bytes, authority, pid: server.pid },
    requests: async () => (await server.request<{ requests: number }>('count')).requests,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
