/** Changes folders of packages, `node_modules`. Links, which lead to our own sources, are left alone. */
'use strict'
const fs = require('node:fs')
const path = require('node:path')

/** Files that no program reads while it runs: types, sources of TypeScript, source maps. */
const isUnused = name => /\.[cm]?ts$|\.map$/.test(name) || isText(name)
const isText = name => /\.(?:md|markdown)$/i.test(name) && !/licen[cs]e|notice|copying/i.test(name)

/** Removes files that production does not need: a fifth of its packages. */
function trim(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) trim(file)
    else if (entry.isFile() && isUnused(entry.name)) fs.rmSync(file)
  }
}

/** Moves the files that `to` lacks from `from`, on the same disk. A program that runs from `to` keeps its files. */
function addMissing(from, to) {
  fs.mkdirSync(to, { recursive: true })
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [from, to].map(folder => path.join(folder, entry.name))
    if (!fs.lstatSync(target, { throwIfNoEntry: false })) fs.renameSync(source, target)
    else if (entry.isDirectory()) addMissing(source, target)
  }
}

module.exports = { trim, addMissing }
