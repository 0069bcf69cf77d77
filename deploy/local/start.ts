/**
 * `npm start [-- URL]`: runs the launcher, from the bundle if there is one. The launcher lives as long as the services,
 * and in the bundle it takes less memory, and less processor time to start.
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freshManifest } from './bundle/manifest.ts'
import { programFiles } from './bundle/programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const report = (line: string) => process.stderr.write(`${line}\n`)

const isBuilt = freshManifest(root) !== null
const [programs] = await Promise.all([
  programFiles(root, process.env.BUNDLE !== 'off', report),
  isBuilt ? null : fetchServers(),
])
const { launch }: typeof import('./launcher.ts') = await import(pathToFileURL(programs.launcher).href)
process.exit(await launch(programs))

/**
 * Fetches missing servers while the bundle is built, because a first start needs both and each takes seconds. The
 * launcher repeats what fails here, and reports it.
 */
async function fetchServers(): Promise<void> {
  const { readLaunchSettings } = await import('./settings.ts')
  const { findBinaries, neededServers } = await import('./servers/binaries.ts')
  try {
    const { bin, external } = readLaunchSettings(process.env)
    await findBinaries(neededServers(external), bin, report)
  } catch {}
}
