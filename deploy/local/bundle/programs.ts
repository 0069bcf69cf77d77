/** Finds the programs of an instance: in a bundle of this code, or else as sources. */
import { utimes } from 'node:fs/promises'
import path from 'node:path'
import { command } from '../command.ts'
import { freshManifest, type Manifest } from './manifest.ts'

const renewEveryMs = 3_600_000

/** The file of the launcher, and those that it runs or preloads. */
export type ProgramFiles = {
  launcher: string
  host: string
  prepare: string
  registerMetrics: string
  register: string
}

/**
 * Returns the programs, and builds the bundle if the current code has none. The sources run if bundling is switched off
 * or fails, for example in a read-only folder.
 */
export async function programFiles(
  root: string,
  isBundled: boolean,
  report: (line: string) => void,
): Promise<ProgramFiles> {
  if (!isBundled) return sourceFiles(root)
  try {
    const { dir } = freshManifest(root) ?? (await built(root))
    await keepYoung(dir)
    const bundled = (name: string) => path.join(dir, `${name}.mjs`)
    return {
      launcher: bundled('launcher'),
      host: bundled('host'),
      prepare: bundled('prepare'),
      registerMetrics: bundled('register-metrics'),
      register: bundled('register'),
    }
  } catch (error) {
    report(`The sources run unbundled, which takes longer to start: ${(error as Error).message}`)
    return sourceFiles(root)
  }
}

/** Builds in a process of its own, because the launcher lives on, and would keep the memory of the bundler. */
async function built(root: string): Promise<Manifest> {
  const { output } = await command(process.execPath, [path.join(import.meta.dirname, 'build.ts'), root])
  const manifest = freshManifest(root)
  if (manifest === null) throw new Error(output)
  return manifest
}

/** Makes the folder young now and every hour, because a build for another instance removes folders older than a day. */
async function keepYoung(dir: string): Promise<void> {
  // In a read-only folder this fails, and no build can remove the bundle.
  const renew = () => utimes(dir, new Date(), new Date()).catch(() => {})
  setInterval(renew, renewEveryMs).unref()
  await renew()
}

export const sourceFiles = (root: string): ProgramFiles => ({
  launcher: path.join(root, 'deploy/local/launcher.ts'),
  host: path.join(root, 'deploy/local/host.ts'),
  prepare: path.join(root, 'deploy/local/prepare.ts'),
  registerMetrics: path.join(root, 'libs/telemetry/register-metrics.ts'),
  register: path.join(root, 'libs/telemetry/register.ts'),
})
