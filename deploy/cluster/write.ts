/**
 * Writes `deploy/kubernetes` and `deploy/compose.yaml` from the table of roles. `cluster.test.ts` fails if the files
 * differ.
 */
import fs from 'node:fs'
import path from 'node:path'
import { stringify } from 'yaml'
import { composeFile } from './compose.ts'
import type { Manifest } from './manifest.ts'
import { manifestFiles } from './manifests.ts'

export const deployFolder = path.join(import.meta.dirname, '..')
const head = '# Made from deploy/cluster/roles.ts by `npm run docs`.\n'

/** Returns the contents of all files by name, relative to `deploy`. */
export const clusterFiles = (): Map<string, string> =>
  new Map([
    ...[...manifestFiles()].map(([file, manifests]) => [`kubernetes/${file}`, written(manifests)] as const),
    ['compose.yaml', head + text(composeFile())],
  ])

const written = (manifests: readonly Manifest[]): string => head + manifests.map(text).join('---\n')
const text = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })

if (import.meta.main)
  for (const [file, content] of clusterFiles()) fs.writeFileSync(path.join(deployFolder, file), content)
