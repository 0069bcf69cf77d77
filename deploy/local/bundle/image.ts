/** `node deploy/local/bundle/image.ts`: bundles the entry of the image into `bundle`, a step of the Dockerfile. */
import path from 'node:path'
import { root } from '../settings.ts'
import { buildImageBundle } from './build.ts'

await buildImageBundle(path.join(root, 'bundle'), root)
