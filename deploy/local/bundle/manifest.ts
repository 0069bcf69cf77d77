/** Records the sources of a bundle, to detect that it is stale. */
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

export type Manifest = {
  /** Folder of the bundle. */
  dir: string
  /** Source file and its time of change in ms since 1970. */
  inputs: (readonly [file: string, changedAt: number])[]
}

export const bundleFolder = (root: string): string => path.join(root, 'node_modules/.cache/bundle')
export const manifestIn = (root: string): string => path.join(bundleFolder(root), 'manifest.json')

/** Returns the manifest of the bundle, or null if it does not exist or a source has changed since. */
export function freshManifest(root: string): Manifest | null {
  try {
    const manifest: Manifest = JSON.parse(readFileSync(manifestIn(root), 'utf8'))
    statSync(manifest.dir)
    return manifest.inputs.every(([file, changedAt]) => statSync(file).mtimeMs === changedAt)
      ? manifest
      : null
  } catch {
    return null
  }
}
