/**
 * Runs the steps of the Dockerfile in folders of this machine, without Docker: each stage a folder, each step
 * unchanged. Only the installation of Debian packages is left out.
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '..')
const stepMs = 180_000

export type Image = {
  /** Folder of the last stage. */
  folder: string
  env: Record<string, string>
  user: number
  entrypoint: string[]
  leftOut: string[]
}

export async function takeSteps(folder: string): Promise<Image> {
  const image: Image = { folder, env: {}, user: 0, entrypoint: [], leftOut: [] }
  const stages = new Map<string, string>()
  const context = path.join(folder, 'context')
  await copyContext(context)
  for (const [word, rest] of await steps()) {
    if (word === 'FROM') {
      const [base = '', , name = 'image'] = rest.split(/\s+/)
      image.folder = path.join(folder, name)
      stages.set(name, image.folder)
      const from = stages.get(base)
      if (from) await link(from, image.folder)
      else await fs.mkdir(image.folder)
    } else if (word === 'COPY') await copy(rest.split(/\s+/), image.folder, { stages, context })
    else if (word === 'RUN') {
      if (rest.startsWith('apt-get')) image.leftOut.push(rest)
      else await run('sh', ['-c', rest], { cwd: image.folder, timeout: stepMs, env: outside() })
    } else if (word === 'ENV') {
      for (const one of rest.split(/\s+/))
        image.env[one.split('=')[0] ?? ''] = one.slice(one.indexOf('=') + 1)
    } else if (word === 'USER') image.user = Number(rest.split(':')[0])
    else if (word === 'ENTRYPOINT') image.entrypoint = JSON.parse(rest)
    else if (word !== 'WORKDIR')
      throw new Error(`This step of the Dockerfile is not supported: ${word} ${rest}`)
  }
  return image
}

async function steps(): Promise<[word: string, rest: string][]> {
  const text = await fs.readFile(path.join(root, 'deploy/Dockerfile'), 'utf8')
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean)
  return lines.map(line => {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    return [word, rest.replace(/\s+/g, ' ')]
  })
}

type Sources = { stages: ReadonlyMap<string, string>; context: string }

async function copy(words: string[], to: string, { stages, context }: Sources): Promise<void> {
  const from = words[0]?.startsWith('--from=') ? stages.get(words[0].slice('--from='.length)) : undefined
  if (from === undefined) await link(context, to)
  else await link(path.join(from, path.relative('/app', words[1] ?? '')), path.join(to, words[2] ?? ''))
}

/** Copies the checkout without the ignored files, as Docker sends it to a build. */
async function copyContext(to: string): Promise<void> {
  const isIgnored = await ignoring()
  await fs.cp(root, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: file => !isIgnored(path.relative(root, file)),
  })
}

/** Copies a stage with hard links. No step writes into an existing file: each step replaces it. */
async function link(from: string, to: string): Promise<void> {
  await run('cp', ['-alfT', from, to])
}

/** The patterns of .dockerignore, one per line. */
async function ignoring(): Promise<(file: string) => boolean> {
  const text = await fs.readFile(path.join(root, '.dockerignore'), 'utf8')
  const patterns = text.split('\n').filter(Boolean)
  return file => patterns.some(pattern => path.matchesGlob(file, pattern))
}

/** Returns the environment without the variables that npm sets for scripts of the tested checkout. */
const outside = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_package')))
