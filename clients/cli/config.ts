/** Reads and writes the file with the key and the address of the service, which `tidemark login` stores. */
import { readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export type Config = { api_key?: string; base_url?: string }

/** Returns the path of the file with the key. */
const configFile = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'tidemark', 'config.json')

/** Returns the contents of the file; empty without a file. Throws if it cannot be read. */
export function readConfig(): Config {
  const text = storedText(configFile())
  try {
    const { api_key, base_url }: Config = JSON.parse(text)
    return { ...(api_key && { api_key }), ...(base_url && { base_url }) }
  } catch {
    throw new Error(`${configFile()} is not valid JSON. Run 'tidemark login' to write it again.`)
  }
}

function storedText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}'
    throw new Error(`The stored key cannot be read: ${(error as Error).message}`)
  }
}

/** Writes the file so that only its owner can read it. */
export async function writeConfig(config: Config): Promise<string> {
  const file = configFile()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  await chmod(file, 0o600) // an existing file keeps its mode otherwise
  return file
}
