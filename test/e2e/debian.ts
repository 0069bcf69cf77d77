/** Real documentation as test data: Debian packages, downloaded and unpacked but not installed, served on loopback. */
import { execFile } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { listening } from '@tidemark/testing/listening'

const run = promisify(execFile)
const types: Record<string, string> = {
  '.html': 'text/html',
  '.txt': 'text/plain',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.gif': 'image/gif',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
}

/** Downloads and unpacks a package once. Returns its folder, or the reason why it is missing here. */
export async function unpacked(
  name: string,
  cache: string,
): Promise<{ folder: string } | { missing: string }> {
  const folder = join(cache, name)
  if (existsSync(folder)) return { folder }
  const work = `${folder}.${process.pid}`
  await mkdir(work, { recursive: true })
  try {
    await run('apt-get', ['download', name], { cwd: work }).catch(async () => {
      await run('apt-get', ['update', '-qq'])
      return run('apt-get', ['download', name], { cwd: work })
    })
    const [file = ''] = (await readdir(work)).filter(file => file.endsWith('.deb'))
    await run('dpkg', ['-x', join(work, file), work])
    await rename(work, folder)
    return { folder }
  } catch (error) {
    await rm(work, { recursive: true, force: true })
    // Another test was quicker.
    if (existsSync(folder)) return { folder }
    return {
      missing: `${name} cannot be downloaded here: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
    }
  }
}

export type StaticSite = { url: string; requests: () => number; close: () => Promise<void> }

/** Serves a folder: files by their extension, folders by their index.html, and 404 for everything else. */
export async function serveFolder(folder: string, address: string): Promise<StaticSite> {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    serve(folder, request, response).catch(() => response.writeHead(500).end())
  })
  const { url, close } = await listening(server, address)
  return { url: `${url}/`, requests: () => requests, close }
}

async function serve(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://site')
  const path = join(folder, normalize(decodeURIComponent(pathname)))
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory() && !pathname.endsWith('/')) {
    response.writeHead(301, { location: `${pathname}/` }).end()
    return
  }
  const file = found?.isDirectory() ? join(path, 'index.html') : path
  if (!(await stat(file).catch(() => null))?.isFile()) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not here</title>')
    return
  }
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
  createReadStream(file).pipe(response)
}
