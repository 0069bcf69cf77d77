/**
 * Stores the key of the first project for the person who started Tidemark. Only their user can read the file, and each
 * start prints the key.
 */
import path from 'node:path'
import { readJson, writeDurably } from './durable-file.ts'

/** `run` is the crawl of the sample site, and `page` one of its pages; null: not crawled yet. */
export type FirstKey = {
  project_id: number
  api_key: string
  prefix: string
  run: { id: number; page: number } | null
}

const fileIn = (dir: string) => path.join(dir, 'first-key.json')

export const readFirstKey = (dir: string): FirstKey | null => readJson(fileIn(dir))

export function writeFirstKey(dir: string, key: FirstKey): void {
  writeDurably(fileIn(dir), `${JSON.stringify(key)}\n`)
}
