/**
 * `npm start [-- URL]`: runs the launcher, from the bundle if there is one. The launcher lives as long as the services,
 * and in the bundle it takes less memory, and less processor time to start.
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { programFiles } from './bundle/programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const report = (line: string) => process.stderr.write(`${line}\n`)

const programs = await programFiles(root, process.env.BUNDLE !== 'off', report)
const { launch }: typeof import('./launcher.ts') = await import(pathToFileURL(programs.launcher).href)
process.exit(await launch(programs))
