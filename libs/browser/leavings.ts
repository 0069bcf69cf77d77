/**
 * The folders of a browser, and what is left of them when its owner was killed: whoever starts a browser next
 * takes away those whose owner is gone.
 */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { startedAt } from './processes.ts'

const named = /^tidemark-browser-(\d+)-(\d+)-(\d+)-/
/** Playwright makes one beside ours, in the same place. */
const profileNamed = /^playwright_chromiumdev_profile-\w+$/
/** In ours, the other's name. */
const note = 'profile'
/** No browser lives as long: what another machine's processes left, of whom we see nothing, is left for that long. */
const oldMs = 24 * 3_600_000

/** A new folder for a browser of this process. */
export async function ownFolder(): Promise<string> {
  const owner = `${await namespace()}-${process.pid}-${startedAt(process.pid)}`
  return fs.mkdtemp(path.join(os.tmpdir(), `tidemark-browser-${owner}-`))
}

/** Writes down where the browser of this folder has its profile. */
export async function noteProfile(folder: string, browser: number): Promise<void> {
  const words = (await fs.readFile(`/proc/${browser}/cmdline`, 'utf8').catch(() => '')).split('\0')
  const profile = words.find(word => word.startsWith('--user-data-dir='))?.split('=')[1] ?? ''
  await fs.writeFile(path.join(folder, note), path.basename(profile))
}

/** Takes away the folders of owners that are gone. */
export async function sweepLeavings(): Promise<void> {
  const here = await namespace()
  const names = await fs.readdir(os.tmpdir()).catch(() => [])
  for (const name of names) {
    const [, where, pid, started] = named.exec(name) ?? []
    const folder = path.join(os.tmpdir(), name)
    const stat = await fs.lstat(folder).catch(() => null)
    // In a folder that anybody may write to, anybody may use our names.
    if (!where || !stat?.isDirectory() || stat.uid !== process.getuid?.()) continue
    const isGone =
      where === here ? startedAt(Number(pid)) !== Number(started) : Date.now() - stat.mtimeMs > oldMs
    if (isGone) await sweep(folder)
  }
}

async function sweep(folder: string): Promise<void> {
  const profile = await fs.readFile(path.join(folder, note), 'utf8').catch(() => '')
  const found = profileNamed.test(profile) ? [path.join(os.tmpdir(), profile), folder] : [folder]
  for (const one of found) await fs.rm(one, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

/** The processes among which a pid means one. */
async function namespace(): Promise<string> {
  const link = await fs.readlink('/proc/self/ns/pid').catch(() => '')
  return /\d+/.exec(link)?.[0] ?? '0'
}
