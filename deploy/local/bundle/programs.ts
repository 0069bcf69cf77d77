/** Finds the programs of an instance: in a bundle of this code, or else as sources. */
import path from 'node:path'
import { freshManifest } from './manifest.ts'

/** Files that the launcher runs or preloads. */
export type ProgramFiles = {
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
    const { dir } = freshManifest(root) ?? (await (await import('./build.ts')).buildBundle(root))
    const bundled = (name: string) => path.join(dir, `${name}.mjs`)
    return {
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

export const sourceFiles = (root: string): ProgramFiles => ({
  host: path.join(root, 'deploy/local/host.ts'),
  prepare: path.join(root, 'deploy/local/prepare.ts'),
  registerMetrics: path.join(root, 'libs/telemetry/register-metrics.ts'),
  register: path.join(root, 'libs/telemetry/register.ts'),
})
