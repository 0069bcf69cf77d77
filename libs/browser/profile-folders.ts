/**
 * Creates the folder of each browser, and removes folders that a crash left: the first browser of a process removes
 * the folders of processes that have ended.
 */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { startedAt } from './processes.ts'

const folderName = /^tidemark-browser-(\d+)-(\d+)-(\d+)-/
/** Playwright creates a folder beside ours, in the same directory. */
const profileName = /^playwright_chromiumdev_profile-\w+$/
/** Name of the file in our folder that contains the name of Playwright's folder. */
const profileFile = 'profile'
/** Maximum lifetime of a browser. Folders of other machines' processes, whose state is unknown, are kept that long. */
const oldMs = 24 * 3_600_000

/** Creates a folder for a browser of this process, and returns its path. */
export async function ownFolder(): Promise<string> {
  const owner = `${await namespace()}-${process.pid}-${startedAt(process.pid)}`
  return fs.mkdtemp(path.join(os.tmpdir(), `tidemark-browser-${owner}-`))
}

/** Records in a browser's folder which profile folder the process `browser` uses. */
export async function recordProfile(folder: string, browser: number): Promise<void> {
  const words = (await fs.readFile(`/proc/${browser}/cmdline`, 'utf8').catch(() => '')).split('\0')
  const profile = words.find(word => word.startsWith('--user-data-dir='))?.split('=')[1] ?? ''
  await fs.writeFile(path.join(folder, profileFile), path.basename(profile))
}

/** Removes the folders of processes that have ended. */
export async function sweepFolders(): Promise<void> {
  const ourNamespace = await namespace()
  const names = await fs.readdir(os.tmpdir()).catch(() => [])
  for (const name of names) {
    const [, owner, pid, started] = folderName.exec(name) ?? []
    const folder = path.join(os.tmpdir(), name)
    const stat = await fs.lstat(folder).catch(() => null)
    // In a world-writable folder, any user can create folders with our names.
    if (!owner || !stat?.isDirectory() || stat.uid !== process.getuid?.()) continue
    const hasEnded =
      owner === ourNamespace ? startedAt(Number(pid)) !== Number(started) : Date.now() - stat.mtimeMs > oldMs
    if (hasEnded) await sweep(folder)
  }
}

async function sweep(folder: string): Promise<void> {
  const profile = await fs.readFile(path.join(folder, profileFile), 'utf8').catch(() => '')
  const found = profileName.test(profile) ? [path.join(os.tmpdir(), profile), folder] : [folder]
  for (const one of found) await fs.rm(one, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

/** Returns an id of the PID namespace. */
async function namespace(): Promise<string> {
  const link = await fs.readlink('/proc/self/ns/pid').catch(() => '')
  return /\d+/.exec(link)?.[0] ?? '0'
}
