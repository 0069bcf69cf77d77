/**
 * Unpacks Chromium from the npm package `@sparticuz/chromium`. The package's own function would return any file in
 * /tmp, of any version and possibly planted. Here each version has its own folder, complete or absent: the loser of a
 * concurrent rename discards its copy.
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

const run = promisify(execFile)
/** Libraries that a minimal machine lacks, and fonts. Graphics drivers are left out, because graphics are disabled. */
const archives = ['al2023', 'fonts']

/**
 * Returns the folder of the unpacked Chromium: `chromium`, `lib`, `fonts`. Takes two seconds the first time.
 * @param home the parent folder of all versions; only its owner should be able to write there
 */
export async function unpackChromium(home: string): Promise<string> {
  const source = path.resolve(
    path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
    '..',
  )
  const { version } = JSON.parse(await fs.promises.readFile(path.join(source, 'package.json'), 'utf8'))
  const folder = path.resolve(home, `chromium-${version}-${process.arch}`)
  if (fs.existsSync(folder)) return folder

  await fs.promises.mkdir(home, { recursive: true })
  const draft = await fs.promises.mkdtemp(`${folder}.`)
  try {
    await fs.promises.chmod(draft, 0o755)
    await inflate(path.join(source, 'bin/chromium.br'), path.join(draft, 'chromium'), 0o755)
    for (const archive of archives) await extract(path.join(source, `bin/${archive}.tar.br`), draft)
    await fs.promises.mkdir(path.join(draft, 'fonts-cache'))
    await fs.promises.rename(draft, folder)
  } catch (error) {
    await fs.promises.rm(draft, { recursive: true, force: true })
    if (!fs.existsSync(folder)) throw error
  }
  return folder
}

async function inflate(from: string, to: string, mode: number): Promise<void> {
  const plain = zlib.createBrotliDecompress({ chunkSize: 1 << 21 })
  await pipeline(fs.createReadStream(from), plain, fs.createWriteStream(to, { mode }))
}

async function extract(archive: string, folder: string): Promise<void> {
  const tar = path.join(folder, 'archive.tar')
  await inflate(archive, tar, 0o600)
  await run('tar', ['-xf', tar, '-C', folder, '--no-same-owner'])
  await fs.promises.rm(tar)
}
