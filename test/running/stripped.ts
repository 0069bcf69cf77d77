/**
 * Removes the types of all sources once for a run. Otherwise Node would remove them in each process that loads a
 * source, and it needs a tenth of a second to prepare for that.
 */
import fs from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { sourcePaths } from '../source-paths.ts'

/**
 * Returns the folder with the sources as JavaScript. The files have the paths and modification times of the sources.
 */
export async function strippedSources(root: string, cache: string): Promise<string> {
  const folder = path.join(cache, `stripped-${process.version}`)
  const sources = sourcePaths(root).filter(file => file.endsWith('.ts'))
  const folders = new Set(sources.map(file => path.join(folder, path.dirname(file))))
  for (const one of folders) await fs.mkdir(one, { recursive: true })
  await Promise.all(sources.map(file => strip(path.join(root, file), path.join(folder, file))))
  return folder
}

async function strip(source: string, target: string): Promise<void> {
  const { mtime } = await fs.stat(source)
  const made = await fs.stat(target).catch(() => null)
  if (made?.mtime.getTime() === mtime.getTime()) return
  const stripped = withoutTypes(await fs.readFile(source, 'utf8'))
  if (stripped === null) return
  // Renamed when it is complete, because a concurrent run may load it.
  const fresh = `${target}.${process.pid}`
  await fs.writeFile(fresh, stripped)
  await fs.utimes(fresh, mtime, mtime)
  await fs.rename(fresh, target)
}

/** Null for a faulty source: Node reports the fault to the test that loads it. */
function withoutTypes(source: string): string | null {
  try {
    return stripTypeScriptTypes(source)
  } catch {
    return null
  }
}
