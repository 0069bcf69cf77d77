/**
 * Downloads and unpacks Debian packages without root and without installing them. Package lists, cache and sources are
 * in a temporary folder of their own. apt checks the signatures, or the hashes of pinned files.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { command } from '../command.ts'

export type Suite = 'own' | 'trixie'
export type Bundle = { folder: string; suite: Suite; packages: readonly string[]; pinned?: Pinned }

/**
 * The files of the packages by SHA-256, as paths on a mirror, for a release of Debian on amd64. They need no package
 * lists, which take longer to read than a server to start. A mirror with newer versions lacks them.
 */
export type Pinned = { codename: string; files: Readonly<Record<string, string>> }

/**
 * Unpacks each bundle to `<into>/<folder>`, completely or not at all, even with concurrent processes. Throws an Error
 * that names the failed step.
 */
export async function unpack(bundles: Bundle[], into: string, report: Report): Promise<void> {
  await fs.mkdir(into, { recursive: true })
  const own = await ownSuite()
  const target = { own, into, report }
  const left: Bundle[] = []
  for (const bundle of bundles) if (!(await unpackPinned(bundle, target))) left.push(bundle)
  if (left.length === 0) return
  report(`Reading package lists from ${own.mirror} …`)
  // Both suites at once: their lists of 9 MB each take longer to read than all packages to download.
  const bySuite = Map.groupBy(left, ({ suite }) => nameOf(suite, own))
  const ends = await Promise.allSettled(
    Array.from(bySuite, ([suite, bundles]) => unpackFrom(suite, bundles, target)),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

type Report = (line: string) => void
type Target = { own: Own; into: string; report: Report }

/** Returns whether the pinned files of the bundle were there, and are unpacked. */
async function unpackPinned(bundle: Bundle, { own, into, report }: Target): Promise<boolean> {
  const { pinned, suite } = bundle
  if (pinned?.codename !== nameOf(suite, own) || process.arch !== 'x64') return false
  return inWork(into, async work => {
    const files = Object.entries(pinned.files).flatMap(([file, digest]) => [
      `${own.mirror}${file}`,
      path.basename(file),
      `SHA256:${digest}`,
    ])
    await unpackOne(bundle, { work, into, report }, () =>
      must('/usr/lib/apt/apt-helper', ['-qq', ...options, 'download-file', ...files], { cwd: work }),
    )
    return true
  }).catch(() => {
    report(`The mirror lacks the known versions of ${bundle.packages.join(', ')}`)
    return false
  })
}

/** Unpacks bundles of one suite by its package list. */
const unpackFrom = (suite: string, bundles: Bundle[], { own, into, report }: Target): Promise<void> =>
  inWork(into, async work => {
    await writeConfiguration(work, own, suite)
    const run = (command: string, ...args: readonly string[]) =>
      must('apt-get', [command, '-qq', ...options, ...keepCache, ...args], {
        cwd: work,
        env: { ...process.env, APT_CONFIG: path.join(work, 'apt.conf') },
      })
    await run('update')
    for (const bundle of bundles)
      await unpackOne(bundle, { work, into, report }, () => run('download', ...bundle.packages))
  })

async function inWork<Result>(into: string, fn: (work: string) => Promise<Result>): Promise<Result> {
  const work = await fs.mkdtemp(path.join(into, '.apt-'))
  try {
    return await fn(work)
  } finally {
    await fs.rm(work, { recursive: true, force: true })
  }
}

async function unpackOne(
  { packages, folder }: Bundle,
  { work, into, report }: { work: string; into: string; report: Report },
  download: () => Promise<unknown>,
): Promise<void> {
  report(`Downloading ${packages.join(', ')} …`)
  await download()
  await extract(work, packages, path.join(work, folder))
  await moveInto(path.join(work, folder), path.join(into, folder))
  report(`Unpacked ${folder} into ${into}`)
}

const option = (assignment: string): string[] => ['-o', assignment]

const options: readonly string[] = [
  ...option('Acquire::Retries=2'),
  ...option('Acquire::http::Timeout=20'),
  // Root downloads as root, because another user could not write into our folder.
  ...(process.getuid?.() === 0 ? option('APT::Sandbox::User=root') : []),
]

/**
 * Keeps the parsed lists for the next command, which would parse them again for a second. As options, because those of
 * the machine take precedence over our file, and images of Debian switch this off.
 */
const keepCache = [...option('Dir::Cache::pkgcache=pkgcache.bin'), ...option('Dir::Cache::srcpkgcache=')]

type Own = { codename: string; mirror: string }

const nameOf = (suite: Suite, own: Own) => (suite === 'own' ? own.codename : suite)

/** Returns the Debian suite of this machine and the mirror that its administrator has configured. */
async function ownSuite(): Promise<Own> {
  const release = await fs.readFile('/etc/os-release', 'utf8').catch(() => '')
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(release)?.[1]
  if (!/^ID=debian$/m.test(release) || codename === undefined)
    throw new Error('this machine does not run a Debian release')

  const format = ['--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages']
  const targets = (await must('apt-get', ['indextargets', ...format]))
    .split('\n')
    .map(line => line.split(' '))
  const isPlain = ([name]: string[]) => name === codename || name === 'stable' || name === 'oldstable'
  const mirror = targets.find(isPlain)?.[1]
  if (mirror === undefined) throw new Error(`apt has no source for ${codename}`)
  return { codename, mirror }
}

async function writeConfiguration(work: string, { mirror }: Own, suite: string): Promise<void> {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'parts']) {
    await fs.mkdir(path.join(work, folder), { recursive: true })
  }
  const source = `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror} ${suite} main\n`
  await fs.writeFile(path.join(work, 'sources.list'), source)
  const settings = [
    `Dir::State::Lists "${work}/lists";`,
    `Dir::Cache "${work}/cache";`,
    `Dir::Etc::SourceList "${work}/sources.list";`,
    `Dir::Etc::SourceParts "${work}/parts";`,
    'Acquire::Languages "none";',
    'APT::Update::Error-Mode "any";',
  ]
  await fs.writeFile(path.join(work, 'apt.conf'), settings.join('\n'))
}

async function extract(work: string, packages: readonly string[], folder: string): Promise<void> {
  const files = await fs.readdir(work)
  for (const name of packages) {
    const file = files.find(file => file.startsWith(`${name}_`) && file.endsWith('.deb'))
    if (file === undefined) throw new Error(`apt-get download left no file for ${name}`)
    await must('dpkg', ['-x', path.join(work, file), folder])
  }
}

/** Moves a folder to its final name. If a concurrent process was faster, its folder has the same packages and stays. */
async function moveInto(from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

async function must(name: string, args: string[], options = {}): Promise<string> {
  const { code, output } = await command(name, args, options)
  if (code !== 0) throw new Error(`${name} ${args[0]} failed: ${output.slice(-2_000)}`)
  return output
}
