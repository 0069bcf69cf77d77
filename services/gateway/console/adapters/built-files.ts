/** Reads the files of the console, which `deploy/clients/build-console.ts` builds. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** `packed` is compressed by gzip. */
export type BuiltFile = { type: string; plain: Buffer; packed: Buffer }

export type BuiltFiles = {
  /** Returns the page; null: the console is not built here. */
  readPage: () => Promise<string | null>
  /** Returns a file with a hashed name; null: there is no such file. */
  readAsset: (name: string) => Promise<BuiltFile | null>
}

const builtFolder = fileURLToPath(new URL('../../../../node_modules/.cache/console/', import.meta.url))
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}
const isAssetName = /^[\w-]+\.(?:js|css)$/

/**
 * Assets never change under their name, so each is read once. The page is read each time, because a new build has
 * another page.
 */
export function openBuiltFiles(folder: string = builtFolder): BuiltFiles {
  const read = new Map<string, Promise<BuiltFile | null>>()

  const dirOf = async (): Promise<string | null> => {
    const manifest = await readFile(path.join(folder, 'manifest.json'), 'utf8').catch(() => null)
    return manifest === null ? null : path.join(folder, JSON.parse(manifest).dir)
  }
  async function readFrom(name: string): Promise<BuiltFile | null> {
    const dir = await dirOf()
    if (dir === null) return null
    const file = path.join(dir, name)
    const [plain, packed] = await Promise.all([readFile(file), readFile(`${file}.gz`)])
    return { type: types[path.extname(name)] ?? '', plain, packed }
  }
  return {
    async readPage() {
      const dir = await dirOf()
      return dir === null ? null : readFile(path.join(dir, 'index.html'), 'utf8')
    },
    async readAsset(name) {
      if (!isAssetName.test(name)) return null
      const reading = read.get(name) ?? readFrom(name).catch(() => null)
      const file = await reading
      if (file !== null) read.set(name, reading)
      return file
    },
  }
}
