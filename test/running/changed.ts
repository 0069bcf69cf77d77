/** The files that differ from an earlier commit, and which tests they can affect. */
import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Source } from '../architecture.ts'
import { type Reach, reachOf } from './reach.ts'

/**
 * Returns the tests that the changes since a commit can affect. Work that is not committed yet counts as changed.
 * @param base a commit; default: the commit where this branch left main, or on main itself the previous commit
 */
export async function affectedTests(root: string, base?: string): Promise<Reach & { base: string }> {
  const from = await git(root, 'rev-parse', '--verify', `${base ?? (await defaultBase(root))}^{commit}`)
  const [differing, untracked, listed] = await Promise.all([
    git(root, 'diff', '--name-only', '--no-renames', from),
    git(root, 'ls-files', '--others', '--exclude-standard'),
    git(root, 'ls-files', '--cached', '--others', '--exclude-standard'),
  ])
  const changed = new Set([...linesOf(differing), ...linesOf(untracked)])
  const sources = await Promise.all(linesOf(listed).map(file => sourceIn(root, file)))
  const present = sources.filter(source => source !== null)
  return { base: from.slice(0, 10), ...reachOf(present, changed) }
}

async function defaultBase(root: string): Promise<string> {
  const [head, left] = await Promise.all([
    git(root, 'rev-parse', 'HEAD'),
    git(root, 'merge-base', 'HEAD', 'main').catch(() => git(root, 'merge-base', 'HEAD', 'origin/main')),
  ])
  return head === left ? 'HEAD~1' : left
}

async function sourceIn(root: string, file: string): Promise<Source | null> {
  if (!/\.(?:ts|cjs)$/.test(file)) return { path: file, text: '' }
  const text = await fs.readFile(path.join(root, file), 'utf8').catch(() => null) // deleted and not committed
  return text === null ? null : { path: file, text }
}

async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: root, maxBuffer: 2 ** 26 })
  return stdout.trim()
}

const linesOf = (text: string) => text.split('\n').filter(line => line !== '')
