import { Module } from '@nestjs/common';
import { Pages, PagesOptions } from '@animal-store/openapi/pages';
import { AccessModule } from '../access/access.module.js';
import { StoreKeyIssuer } from '../access/application/key-issuer.service.js';
import { ABOUT } from '../api-overview.js';
import { adaptGuide, guideOfError } from '../guides.js';
import { Settings } from '../settings/settings.js';
import { SERVICE } from '../version.js';

const WEEK_MS = 604_800_000;

/** What people read in a browser, and the page of a path that does not exist. */
@Module({
  imports: [AccessModule],
  providers: [
    Pages,
    {
      provide: PagesOptions,
      inject: [Settings, StoreKeyIssuer],
      useFactory: ({ api, mode, server, rateLimits }: Settings, issuer: StoreKeyIssuer): PagesOptions => ({
        about: ABOUT,
        plans: { Free: rateLimits.free, Pro: rateLimits.pro, Business: rateLimits.business },
        client: `${SERVICE}-client`,
        usagePath: '/usage',
        limits: server,
        guide: (markdown) => adaptGuide(markdown, api.supportUrl, rateLimits),
        guideOfError,
        securityContact: api.securityContact,
        ownUrl: api.ownUrl,
        publicPath: api.publicPath,
        issueKey: mode === 'development' ? () => issueKey(issuer) : null,
      }),
    },
  ],
  exports: [Pages],
})
export class PagesModule {}

async function issueKey(issuer: StoreKeyIssuer): Promise<string> {
  return (await issuer.issue({ name: 'explorer', plan: 'free', expiresInMs: WEEK_MS })).text;
}
