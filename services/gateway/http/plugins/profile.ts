/** `app.profile`: the revision of the specification that this installation follows. */
import type { App } from '../../app.ts'
import type { Profile } from '../domain/profile.ts'

declare module 'fastify' {
  interface FastifyInstance {
    profile: Profile
  }
}

/** Sets `app.profile`. Call it before any route is added. */
export function installProfile(app: App, profile: Profile): void {
  app.decorate('profile', profile)
}
