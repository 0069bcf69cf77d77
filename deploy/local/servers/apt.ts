/**
 * Downloads and unpacks Debian packages without root and without installing them. Package lists, cache and sources are
 * in a temporary folder of their own. apt checks the signatures.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { command } from '../command.ts'

export type Suite = 'own' | 'trixie'
export type Bundle = { folder: string; suite: Suite; packages: readonly string[] }

/**
 * Unpacks each bundle to `<into>/<folder>`, completely or not at all, even with concurrent processes. Throws an Error
 * that names the failed step.
 */
export async function unpack(bundles: Bundle[], into: string, report: (line: string) => void): Promise<void> {
  await fs.mkdir(into, { recursive: true })
  const own = await ownSuite()
  report(`Reading package lists from ${own.mirror} …`)
  // Both suites at once: their lists of 9 MB each take longer to read than all packages to download.
  const bySuite = Map.groupBy(bundles, ({ suite }) => nameOf(suite, own))
  const ends = await Promise.allSettled(
    Array.from(bySuite, ([suite, bundles]) => unpackFrom(suite, { bundles, own, into, report })),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

type FromSuite = { bundles: Bundle[]; own: Own; into: string; report: (line: string) => void }

async function unpackFrom(suite: string, { bundles, own, into, report }: FromSuite): Promise<void> {
  const work = await fs.mkdtemp(path.join(into, '.apt-'))
  try {
    await writeConfiguration(work, own, suite)
    const run = (command: string, ...args: string[]) =>
      must('apt-get', [command, '-qq', ...keepCache, ...args], {
        cwd: work,
        env: { ...process.env, APT_CONFIG: path.join(work, 'apt.conf') },
      })
    await run('update')
    for (const { packages, folder } of bundles) {
      report(`Downloading ${packages.join(', ')} …`)
      await run('download', ...packages)
      await extract(work, packages, path.join(work, folder))
      await moveInto(path.join(work, folder), path.join(into, folder))
      report(`Unpacked ${folder} into ${into}`)
    }
  } finally {
    await fs.rm(work, { recursive: true, force: true })
  }
}

/**
 * Keeps the parsed lists for the next command, which would parse them again for a second. As options, because those of
 * the machine take precedence over our file, and images of Debian switch this off.
 */
const keepCache = ['-o', 'Dir::Cache::pkgcache=pkgcache.bin', '-o', 'Dir::Cache::srcpkgcache=']

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
    'Acquire::Retries "2";',
    'Acquire::http::Timeout "20";',
    'APT::Update::Error-Mode "any";',
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User "root";'] : []),
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
