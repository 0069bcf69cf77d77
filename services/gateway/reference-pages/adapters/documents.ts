/** Reads the documents and scripts of the folder docs/, which every installation has. */
import { readdir, readFile } from 'node:fs/promises'
import type { Documents } from '../domain/llms-txt.ts'

const folder = new URL('../../../../docs/', import.meta.url)
/** Decisions explain the code to its developers. */
const isServed = (path: string) => /\.(?:md|mjs)$/.test(path) && !path.startsWith('decisions/')

/** Returns a function that returns the documents. They are read once, on the first request. */
export const openDocuments = (): (() => Promise<Documents>) => keptOnce(readAll)

async function readAll(): Promise<Documents> {
  const paths = (await readdir(folder, { recursive: true })).filter(isServed).sort()
  const texts = paths.map(async path => [path, await readFile(new URL(path, folder), 'utf8')] as const)
  return new Map(await Promise.all(texts))
}

/** Returns a function that reads on its first call and then returns the same value. After a failure the next call retries. */
export function keptOnce<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined
  return async () => {
    reading ??= read()
    try {
      return await reading
    } catch (error) {
      reading = undefined
      throw error
    }
  }
}
