import { ConflictException, NotFoundException } from '@nestjs/common';
import { declareErrors } from '@animal-store/kernel/http';
import { ApiErrors } from './swagger.js';

class BerthTaken extends ConflictException {
  static readonly when = 'Another ship lies there.';
  static readonly example = new BerthTaken({ code: 'berth_taken', message: 'Berth 3 is taken.' });
}

const SINKS = declareErrors([{ when: 'It sinks.', fix: '', example: new ConflictException('It sinks.') }]);

function responsesOf(handler: object): unknown {
  return Reflect.getMetadata('swagger/apiResponse', handler);
}

describe('@ApiErrors()', () => {
  it('documents what a handler and its other decorators throw, above them and below, by status', () => {
    const thrown = [BerthTaken, new NotFoundException('There is no such harbour.')];
    class BerthsController {
      @ApiErrors(...thrown)
      @SINKS
      above(): void {}

      @SINKS
      @ApiErrors(...thrown)
      below(): void {}
    }
    const examples = (value: object) => ({
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: value },
    });
    const noHarbour = { code: 'not_found', message: 'There is no such harbour.', status: 404 };
    const taken = { code: 'berth_taken', message: 'Berth 3 is taken.', status: 409 };
    const sinks = { code: 'conflict', message: 'It sinks.', status: 409 };
    const expected = {
      404: {
        description: '`not_found`: There is no such harbour.',
        content: examples({ not_found: { summary: 'There is no such harbour.', value: noHarbour } }),
      },
      409: {
        description: '- `berth_taken`: Another ship lies there.\n- `conflict`: It sinks.',
        content: examples({
          berth_taken: { summary: 'Another ship lies there.', value: taken },
          conflict: { summary: 'It sinks.', value: sinks },
        }),
      },
    };
    expect(responsesOf(BerthsController.prototype.above)).toMatchObject(expected);
    expect(responsesOf(BerthsController.prototype.below)).toMatchObject(expected);
  });

  it('documents nothing where a handler throws nothing', () => {
    class BerthsController {
      @ApiErrors()
      list(): void {}
    }
    expect(responsesOf(BerthsController.prototype.list)).toBeUndefined();
  });
});
