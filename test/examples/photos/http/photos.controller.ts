import type { ServerResponse } from 'node:http';
import {
  Controller,
  Delete,
  Get,
  type MessageEvent,
  Param,
  Put,
  Res,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { RequireScope } from '@animal-store/api-keys';
import type { Precondition } from '@animal-store/kernel';
import { Operation, Tag } from '@animal-store/openapi';
import {
  BytesBody,
  entityTag,
  EventStream,
  IdPipe,
  IfMatch,
  IfNoneMatch,
  type IsKnown,
  LastEventId,
  OpenStream,
} from '@animal-store/web';
import { PetNotFound } from '../../../../src/pets/domain/pet.errors.js';
import { CountPhotos } from '../application/count-photos.use-case.js';
import { GetPhoto } from '../application/get-photo.use-case.js';
import { ListPhotoChanges } from '../application/list-photo-changes.use-case.js';
import { RemovePhoto } from '../application/remove-photo.use-case.js';
import { SetPhoto } from '../application/set-photo.use-case.js';
import { PHOTO_TYPES, type PhotoFacts, type PhotoType } from '../domain/photo.js';
import { PhotoNotFound } from '../domain/photo.errors.js';
import { PhotoChangeResponse, toPhotoChange } from './photo-change.response.js';
import { PhotoCountsResponse, toPhotoCounts } from './photo-count.response.js';

const PHOTO = { types: PHOTO_TYPES, maxBytes: 2_000_000 } as const;
const tagOf = ({ etag }: PhotoFacts) => etag;

@Tag('Photos', 'What animals look like.')
@Controller({ version: '1' })
@RequireScope('pets:read')
export class PhotosController {
  constructor(
    private readonly set: SetPhoto,
    private readonly get: GetPhoto,
    private readonly remove: RemovePhoto,
    private readonly count: CountPhotos,
    private readonly changes: ListPhotoChanges,
  ) {}

  @Put('pets/:petId/photo')
  @RequireScope('pets:write')
  @Operation({
    summary: 'Set the photo of an animal',
    description: 'Adds it, or replaces the one that there is.',
    response: 'stored',
  })
  async setPhoto(
    @Param('petId', new IdPipe(PetNotFound)) petId: bigint,
    @BytesBody(PHOTO) { bytes, mediaType }: BytesBody<PhotoType>,
    @IfMatch(tagOf, { ifNoneMatch: true }) isCurrent: Precondition<PhotoFacts | null> | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<void> {
    const photo = { petId, mediaType, etag: await entityTag(bytes), bytes };
    response.statusCode = (await this.set.execute(photo, isCurrent)) ? 201 : 204;
    response.setHeader('ETag', photo.etag);
  }

  @Get('pets/:petId/photo')
  @Operation({
    summary: 'Get the photo of an animal',
    description: 'As it was set.',
    response: { bytes: PHOTO },
  })
  async getPhoto(
    @Param('petId', new IdPipe(PhotoNotFound)) petId: bigint,
    @IfNoneMatch() isKnown: IsKnown | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<StreamableFile> {
    const { bytes, mediaType: type, etag } = await this.get.execute(petId, isKnown);
    response.setHeader('ETag', etag);
    return new StreamableFile(bytes, { type, disposition: 'inline' });
  }

  @Delete('pets/:petId/photo')
  @RequireScope('photos:moderate')
  @Operation({
    summary: 'Remove the photo of an animal',
    description: 'The animal must have one.',
    response: 'nothing',
    errors: [PetNotFound, PhotoNotFound],
  })
  async removePhoto(
    @Param('petId', new IdPipe(PetNotFound)) petId: bigint,
    @IfMatch(tagOf) isCurrent?: Precondition<PhotoFacts>,
  ): Promise<void> {
    await this.remove.execute(petId, isCurrent);
  }

  @Sse('pets/:petId/photo/changes')
  @Operation({
    summary: 'Follow the photo of an animal',
    description: 'What has happened to it, from the beginning, and then each change.',
    response: { stream: PhotoChangeResponse },
  })
  followPhoto(
    @Param('petId', new IdPipe(PetNotFound)) petId: bigint,
    @LastEventId() after: bigint | null,
    @OpenStream() stream: EventStream,
  ): Promise<Observable<MessageEvent>> {
    const read = (id: bigint) => this.changes.execute(petId, id);
    return stream.follow({ after: after ?? 0n, read, toData: toPhotoChange });
  }

  @Get('photo-counts')
  @Operation({
    summary: 'Count photos',
    description: 'By type.',
    response: { item: PhotoCountsResponse },
  })
  async countPhotos(): Promise<PhotoCountsResponse> {
    return toPhotoCounts(await this.count.execute());
  }

  @Sse('photo-counts/changes')
  @Operation({
    summary: 'Watch the counts of photos',
    description: 'The counts as they are, and again whenever they have changed.',
    response: { stream: PhotoCountsResponse },
  })
  watchPhotoCounts(@OpenStream() stream: EventStream): Promise<Observable<MessageEvent>> {
    return stream.watch(() => this.countPhotos());
  }
}
