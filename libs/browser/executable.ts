/** Finds a browser: the named one, else one of the machine, else the one from npm. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { writeFontsConf } from './fonts.ts'
import { unpackChromium } from './unpack.ts'

const run = promisify(execFile)

export type Executable = {
  path: string
  /** Environment variables that the browser needs. */
  env: Record<string, string>
}

export type SearchOptions = {
  /** The path of a Chromium; empty or absent to search for one. */
  named?: string
  /** The folder for unpacked versions of the npm package; `fonts` below it may contain more fonts. */
  home: string
}

const systemNames = ['chromium-headless-shell', 'chromium', 'google-chrome']

/**
 * Returns the browser to start.
 * @throws Error if the named browser cannot be run, or the one from npm lacks a library that it does not include
 */
export async function findBrowser({ named, home }: SearchOptions): Promise<Executable> {
  if (named) {
    if (!isRunnable(named)) throw new Error(`There is no executable file at ${named}.`)
    return { path: named, env: {} }
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute)
  const system = systemNames.flatMap(name => folders.map(folder => path.join(folder, name))).find(isRunnable)
  if (system) return { path: system, env: {} }

  const folder = await unpackChromium(home)
  const program = path.join(folder, 'chromium')
  const env = { FONTCONFIG_FILE: await writeFontsConf(folder, path.resolve(home, 'fonts')) }
  if (await starts(program, env)) return { path: program, env }
  const withLibraries = { ...env, LD_LIBRARY_PATH: path.join(folder, 'lib') }
  if (await starts(program, withLibraries)) return { path: program, env: withLibraries }
  throw new Error(`Chromium from npm does not start on this machine. Its path is ${program}.`)
}

function isRunnable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Returns whether all libraries of a program are present: `--version` needs nothing else. */
async function starts(program: string, env: Record<string, string>): Promise<boolean> {
  return run(program, ['--version'], { env, timeout: 20_000 }).then(
    () => true,
    () => false,
  )
}
