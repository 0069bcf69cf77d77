/**
 * The served OpenAPI document, for the tests of one run: the first test that needs it builds it, and the others read it
 * from the folder TEST_DOCUMENTS. Building it takes a second of processor time, most of it for the gateway's modules.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import type { ProfileName } from './http/domain/profile.ts'

export async function sharedDocument(profile: ProfileName): Promise<string> {
  const { TEST_DOCUMENTS: folder } = process.env
  const file = folder === undefined ? null : path.join(folder, `${profile}.json`)
  const known = file === null ? null : await fs.readFile(file, 'utf8').catch(() => null)
  if (known !== null) return known
  const { servedDocument } = await import('./document.scene.ts')
  const text = await servedDocument(profile)
  if (file !== null) await write(file, text)
  return text
}

/** Writes the file at once, because others may read it meanwhile. */
async function write(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`
  await fs.mkdir(path.dirname(file), { recursive: true })
  await fs.writeFile(fresh, text)
  await fs.rename(fresh, file)
}
